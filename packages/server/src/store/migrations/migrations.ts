import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import type { Migration } from 'kysely/migration';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { initial } from './001-initial.ts';
import { alerts } from './055-alerts.ts';
import { crawls } from './052-crawls.ts';
import { crawlChanges } from './053-crawl-changes.ts';
import { keyScope } from './054-key-scope.ts';
import { siteExamples } from './051-site-examples.ts';
import type { Database } from '../schema/schema.ts';

/**
 * All migrations, run in order of their names. They only add (tables, nullable columns, indexes) and drop what the previous
 * version does not use, so that it still works on the migrated database.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-initial': initial,
  '051-site-examples': siteExamples,
  '052-crawls': crawls,
  '053-crawl-changes': crawlChanges,
  '054-key-scope': keyScope,
  '055-alerts': alerts,
};

/** The last of the steps that became the first migration. */
const LAST_STEP = '050-site-notes';

/**
 * Migrates the tables to this version atomically; with several processes one migrates and the others wait. Throws with
 * the name of the failed or unknown migrations.
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<void> {
  // Each further statement would wait again for a database that does not answer.
  await sql`select 1`.execute(db);
  await joinSteps(db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const unknown = (await listApplied(db)).filter((name) => !(name in MIGRATIONS));
  if (unknown.some((name) => name <= LAST_STEP)) throw new Error('it was created by a version before 0.1.0');
  if (unknown.length > 0)
    throw new Error(`it was created by a later version of Winnow, with the migrations ${unknown.join(', ')}`);
  const failed = results?.find((result) => result.status === 'Error');
  const at = failed === undefined ? '' : ` (at ${failed.migrationName})`;
  throw new Error(`the database could not be migrated to this version${at}`, { cause: error });
}

/** Takes over a database that the steps before 0.1.0 made: it has the tables of the first migration, and remains of others. */
async function joinSteps(db: Kysely<Database>): Promise<void> {
  if (!(await listApplied(db)).includes(LAST_STEP)) return;
  await db.transaction().execute(async (trx) => {
    const steps = await sql`delete from ${sql.table(DEFAULT_MIGRATION_TABLE)}
      where name > '001-initial' and name <= ${LAST_STEP}`.execute(trx);
    // Another process was first.
    if (steps.numAffectedRows === 0n) return;
    for (const name of ['compared', 'disagreed', 'by_hand'])
      await trx.schema.alterTable('templates').dropColumn(name).execute();
    for (const name of ['project_learning_pages', 'project_learning_hosts']) await trx.schema.dropTable(name).execute();
  });
}

async function listApplied(db: Kysely<Database>): Promise<string[]> {
  const applied = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
    .execute(db)
    // No migration was applied yet, or the database does not answer.
    .catch(() => ({ rows: [] }));
  return applied.rows.map(({ name }) => name);
}
