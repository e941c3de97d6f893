import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import type { Database } from './schema.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

/**
 * Brings the tables up to this version, as a whole or not at all; with several processes one does it and
 * the others wait. Throws with the name of the migration that failed, or of those that this version does not know.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const later = await findLaterMigrations(db);
  if (later.length > 0) throw new Error(`it is of a later version of Winnow, which made ${later.join(', ')}`);
  const failed = results?.find((result) => result.status === 'Error');
  const at = failed === undefined ? '' : ` (at ${failed.migrationName})`;
  throw new Error(`the database could not be brought to this version${at}`, { cause: error });
}

async function findLaterMigrations(db: Kysely<Database>): Promise<string[]> {
  const applied = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
    .execute(db)
    // Where nothing was ever applied, or the database does not answer.
    .catch(() => ({ rows: [] }));
  return applied.rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
}
