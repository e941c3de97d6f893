import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import type { Migration } from 'kysely/migration';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { initial } from './001-initial.ts';
import { accounts } from './002-accounts.ts';
import { metrics } from './003-metrics.ts';
import { templates } from './010-templates.ts';
import { batches } from './020-batches.ts';
import { sharedLimits } from './021-shared-limits.ts';
import { storage } from './035-storage.ts';
import { templatesByProject } from './036-templates-by-project.ts';
import { requestLog } from './040-request-log.ts';
import { batchList } from './041-batch-list.ts';
import { snapshotTitles } from './042-snapshot-titles.ts';
import { templateServing } from './043-template-serving.ts';
import { snapshotReuse } from './044-snapshot-reuse.ts';
import { snapshotScreenshots } from './045-snapshot-screenshots.ts';
import { templateByHand } from './046-template-by-hand.ts';
import { snapshotMhtml } from './047-snapshot-mhtml.ts';
import { requestLogBytes } from './048-request-log-bytes.ts';
import { warnings } from './049-warnings.ts';
import { siteNotes } from './050-site-notes.ts';
import { siteExamples } from './051-site-examples.ts';
import type { Database } from '../schema/schema.ts';

/**
 * All migrations, run in order of their names. They only add (tables, nullable columns, indexes) and drop what the previous
 * version does not use, so that it still works on the migrated database.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-initial': initial,
  '002-accounts': accounts,
  '003-metrics': metrics,
  '010-templates': templates,
  '020-batches': batches,
  '021-shared-limits': sharedLimits,
  '035-storage': storage,
  '036-templates-by-project': templatesByProject,
  '040-request-log': requestLog,
  '041-batch-list': batchList,
  '042-snapshot-titles': snapshotTitles,
  '043-template-serving': templateServing,
  '044-snapshot-reuse': snapshotReuse,
  '045-snapshot-screenshots': snapshotScreenshots,
  '046-template-by-hand': templateByHand,
  '047-snapshot-mhtml': snapshotMhtml,
  '048-request-log-bytes': requestLogBytes,
  '049-warnings': warnings,
  '050-site-notes': siteNotes,
  '051-site-examples': siteExamples,
};

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
