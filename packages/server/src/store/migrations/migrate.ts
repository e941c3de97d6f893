import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import type { Database } from '../schema/schema.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * Migrates the tables to this version atomically; with several processes one migrates and the others wait. Throws with
 * the name of the failed or unknown migrations.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const later = await findLaterMigrations(db);
  if (later.length > 0)
    throw new Error(`it was created by a later version of Winnow, with the migrations ${later.join(', ')}`);
  const failed = results?.find((result) => result.status === 'Error');
  const at = failed === undefined ? '' : ` (at ${failed.migrationName})`;
  throw new Error(`the database could not be migrated to this version${at}`, { cause: error });
}

async function findLaterMigrations(db: Kysely<Database>): Promise<string[]> {
  const applied = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
    .execute(db)
    // No migration was applied yet, or the database does not answer.
    .catch(() => ({ rows: [] }));
  return applied.rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
}
