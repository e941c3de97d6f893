import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Database } from './schema.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

/**
 * Brings the tables up to this version, as a whole or not at all; with several processes one does it and
 * the others wait. Throws with the name of the migration that failed.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error');
  const at = failed === undefined ? '' : ` (at ${failed.migrationName})`;
  throw new Error(`the database could not be brought to this version${at}`, { cause: error });
}
