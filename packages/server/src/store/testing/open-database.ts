/** Direct access to a store's database for tests. */
import { Kysely } from 'kysely';
import { openSqliteDatabase } from '../../sqlite/open-sqlite.ts';
import type { StoreOptions } from '../open-store.ts';
import { createPostgresDialect } from '../postgres/postgres-dialect.ts';
import type { Database } from '../schema/schema.ts';
import { NodeSqliteDialect } from '../sqlite/sqlite-dialect.ts';

/** Opens the database of a store, runs the work and closes the database. */
export async function withDatabase(
  location: StoreOptions['location'],
  work: (db: Kysely<Database>) => Promise<unknown>,
): Promise<void> {
  const dialect =
    'databaseUrl' in location
      ? createPostgresDialect(location.databaseUrl, (error) => {
          throw error;
        })
      : new NodeSqliteDialect(openSqliteDatabase(location.sqliteFile));
  const db = new Kysely<Database>({ dialect });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}
