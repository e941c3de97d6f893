/** A SQLite store under locks of other processes and on a full disk. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type { AppError } from '../../domain/shared/errors.ts';
import { openSqliteDatabase } from '../../sqlite/open-sqlite.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';

interface Tables {
  readonly counts: { readonly name: string; readonly value: number };
  readonly texts: { readonly text: string };
}

let folder: string;
let sqlite: DatabaseSync;
let db: Kysely<Tables>;
/** A second connection, which acts as another process. */
let other: DatabaseSync;
let faults: AppError[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-locked-'));
  const file = path.join(folder, 'winnow.db');
  sqlite = openSqliteDatabase(file);
  sqlite.exec("create table counts (name text, value integer); insert into counts values ('a', 0)");
  sqlite.exec('create table texts (text text)');
  other = openSqliteDatabase(file);
  faults = [];
  db = new Kysely({ dialect: new NodeSqliteDialect(sqlite, { onStorageError: (fault) => faults.push(fault) }) });
});
afterEach(async () => {
  other.close();
  await db.destroy();
  await rm(folder, { recursive: true });
});

const add = (to: Kysely<Tables>): Promise<unknown> => sql`update counts set value = value + 1`.execute(to);

async function readCount(from: Kysely<Tables>): Promise<number> {
  return (await from.selectFrom('counts').select('value').executeTakeFirstOrThrow()).value;
}

for (const lock of ['immediate', 'exclusive'])
  test(`during a lock (${lock}) of another process reads continue, and writes complete after it`, async () => {
    other.exec(`begin ${lock}`);
    let isDone = false;
    const write = add(db).then(() => (isDone = true));
    const transaction = db.transaction().execute((trx) => add(trx));
    for (let round = 0; round < 3; round += 1) {
      assert.equal(await readCount(db), 0);
      await sleep(20);
    }
    assert.equal(isDone, false);
    other.exec('rollback');
    await Promise.all([write, transaction]);
    assert.equal(await readCount(db), 2);
    assert.deepEqual(faults, []);
  });

// Checks: threat-locked-database
test('a delayed transaction sees writes made meanwhile, and transactions do not mix', async () => {
  other.exec('begin immediate; update counts set value = 100');
  const addAfterReading = async (): Promise<void> => {
    await db.transaction().execute(async (trx) => {
      const value = await readCount(trx);
      await sleep(1);
      await trx
        .updateTable('counts')
        .set({ value: value + 1 })
        .execute();
    });
  };
  const work = [1, 2, 3, 4, 5].flatMap(() => [addAfterReading(), add(db)]);
  await sleep(20);
  other.exec('commit');
  await Promise.all(work);
  assert.equal(await readCount(db), 110);
});

test('a lasting lock makes writes fail with overloaded, and reads continue', async () => {
  other.exec('begin immediate');
  const overloaded = { code: 'overloaded', retryAfterSeconds: 1, message: 'the database is locked by another process' };
  const refused = Promise.all([
    assert.rejects(add(db), overloaded),
    assert.rejects(
      db.transaction().execute((trx) => add(trx)),
      overloaded,
    ),
  ]);
  assert.equal(await readCount(db), 0);
  await refused;
  assert.equal(faults.length, 2);
  other.exec('rollback');
  await add(db);
  assert.equal(await readCount(db), 1);
});

// Checks: threat-full-disk
test('a transaction ended by a full disk reports it, and the next one succeeds', async () => {
  const { page_count: pages } = sqlite.prepare('pragma page_count').get() as { page_count: number };
  sqlite.exec(`pragma max_page_count = ${pages + 2}`);
  const fill = db.transaction().execute(async (trx) => {
    await add(trx);
    await trx
      .insertInto('texts')
      .values({ text: 'x'.repeat(100_000) })
      .execute();
  });
  const full = { code: 'overloaded', retryAfterSeconds: 30, message: 'the disk of the service is full' };
  await assert.rejects(fill, full);
  assert.match(String(faults[0]?.cause), /database or disk is full/);
  assert.equal(await readCount(db), 0);
  await db.transaction().execute((trx) => add(trx));
  assert.equal(await readCount(db), 1);
});
