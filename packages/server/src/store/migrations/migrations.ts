import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration';
import { sql, type Kysely } from 'kysely';
import { initial } from './001-initial.ts';
import type { Database } from '../schema/schema.ts';

/**
 * All migrations, run in order of their names. They only add (tables, nullable columns, indexes) and drop what the previous
 * version does not use, so that it still works on the migrated database.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = { '001-initial': initial };

/**
 * Migrates the tables to this version atomically; with several processes one migrates and the others wait. Throws with
 * the name of the failed or unknown migrations.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<void> {
  // Each further statement would wait again for a database that does not answer.
  await sql`select 1`.execute(db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const unknown = (await listApplied(db)).filter((name) => !(name in MIGRATIONS));
  if (unknown.length > 0)
    throw new Error(`it was created by another version of Winnow, with the migrations ${unknown.join(', ')}`);
  const failed = results?.find((result) => result.status === 'Error');
  const at = failed === undefined ? '' : ` (at ${failed.migrationName})`;
  throw new Error(`the database could not be migrated to this version${at}`, { cause: error });
}

async function listApplied(db: Kysely<Database>): Promise<string[]> {
  const applied = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
    .execute(db)
    // No migration was applied yet, or the database does not answer.
    .catch(() => ({ rows: [] }));
  return applied.rows.map(({ name }) => name);
}
