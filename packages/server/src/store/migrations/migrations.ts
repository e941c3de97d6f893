import type { Migration } from 'kysely/migration';
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

/**
 * All migrations, run in order of their names. They only add (tables, nullable columns, indexes), so that the previous
 * version still works on the migrated database.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
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
};
