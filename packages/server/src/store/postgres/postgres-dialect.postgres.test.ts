/** Errors of statements when PostgreSQL becomes unreachable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { AppError } from '../../domain/shared/errors.ts';
import { createPostgresDialect } from './postgres-dialect.ts';
import { findPostgresPrograms, startTestPostgres } from '../testing/test-postgres.ts';

const programs = findPostgresPrograms();

test(
  'a restart ends running statements with overloaded, and later statements succeed',
  { skip: programs === undefined && 'no PostgreSQL on this machine' },
  async () => {
    const server = await startTestPostgres(programs ?? '');
    const db = new Kysely<object>({ dialect: createPostgresDialect(await server.createDatabase(), () => undefined) });
    try {
      await sql`create table numbers (number integer)`.execute(db);
      const inTransaction = db.transaction().execute(async (trx) => {
        await sql`insert into numbers values (1)`.execute(trx);
        await sql`select pg_sleep(60)`.execute(trx);
      });
      const alone = sql`select pg_sleep(60)`.execute(db);
      const ends = Promise.all([requireOverloaded(inTransaction), requireOverloaded(alone)]);
      while ((await countSleepers(db)) < 2);
      await server.restart(100);
      await ends;
      const { rows } = await sql`select * from numbers`.execute(db);
      assert.deepEqual(rows, []);
      await assert.rejects(sql`select * from nothing`.execute(db), { code: '42P01' });
    } finally {
      await db.destroy();
      await server.stop();
    }
  },
);

async function countSleepers(db: Kysely<object>): Promise<number> {
  const { rows } = await sql`select pid from pg_stat_activity where wait_event = 'PgSleep'`.execute(db);
  return rows.length;
}

async function requireOverloaded(work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.then(
    () => assert.fail('the statement succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, 'overloaded');
  assert.equal(error.retryAfterSeconds, 1);
}
