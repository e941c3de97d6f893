import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Database } from '../schema/schema.ts';
import { NodeSqliteDialect } from '../sqlite/sqlite-dialect.ts';
import { QueryCache } from './query-cache.ts';
import type { CachedQuery } from './query-cache.ts';

const open = (): Kysely<Database> => {
  const db = new Kysely<Database>({ dialect: new NodeSqliteDialect(new DatabaseSync(':memory:')) });
  after(() => db.destroy());
  return db;
};

/** Selects two numbers; counts how often the query is built. */
class Pairs {
  built = 0;
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  query(first: number, second: number, parameters: readonly number[] = [first, second]): CachedQuery<object> {
    const build = (): ReturnType<CachedQuery<object>['build']> => {
      this.built += 1;
      return this.#db.selectNoFrom((select) => [select.val(first).as('first'), select.val(second).as('second')]);
    };
    return { shape: 'pair', parameters, build };
  }
}

test('a query is built once for each database, and runs with the parameters of each call', async () => {
  const queries = new QueryCache();
  for (const db of [open(), open()]) {
    const pairs = new Pairs(db);
    const rows = [
      ...(await queries.run(db, pairs.query(1, 2))),
      ...(await queries.run(db, pairs.query(3, 4))),
      ...(await db.transaction().execute((transaction) => queries.run(transaction, pairs.query(5, 6)))),
    ];
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    );
    assert.equal(pairs.built, 1);
  }
});

test('parameters in the wrong order are rejected before the query runs', async () => {
  const db = open();
  const pairs = new Pairs(db);
  await assert.rejects(new QueryCache().run(db, pairs.query(1, 2, [2, 1])), /the parameters of pair are not those/);
});
