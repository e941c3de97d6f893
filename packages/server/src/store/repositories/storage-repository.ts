import { sql, type Kysely, type Selectable } from 'kysely';
import type { ProjectUsage, UsageRepository } from '../../domain/storage/project-quota.ts';
import { QueryCache } from '../queries/query-cache.ts';
import type { Database, ProjectStorageTable } from '../schema/schema.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

export type StorageChange = Partial<Record<(typeof COUNTERS)[number], number>>;

const QUERIES = new QueryCache();

const COUNTERS = ['snapshots', 'content_bytes', 'row_bytes', 'batches', 'batch_bytes', 'log_bytes'] as const;

export class SqlUsageRepository extends SqlRepository implements UsageRepository {
  async find(projectId: string): Promise<ProjectUsage> {
    const [row] = await QUERIES.run(this.db, {
      shape: 'find',
      parameters: [projectId],
      build: () => this.db.selectFrom('project_storage').selectAll().where('project_id', '=', projectId),
    });
    return row ? toUsage(row) : { projectId, snapshots: 0, snapshotBytes: 0, batches: 0, batchBytes: 0, logBytes: 0 };
  }

  async list(): Promise<ProjectUsage[]> {
    const rows = await this.db.selectFrom('project_storage').selectAll().orderBy('project_id').execute();
    return rows.map(toUsage);
  }
}

/**
 * Adds to a project's storage within the caller's transaction, which locks the project's row. Counters never fall below
 * zero.
 */
export async function changeStorage(
  transaction: Kysely<Database>,
  projectId: string,
  change: StorageChange,
): Promise<void> {
  const values = COUNTERS.map((name) => [name, change[name] ?? 0] as const);
  const changed = values.filter(([, value]) => value !== 0);
  await QUERIES.run(transaction, {
    shape: `change ${changed.map(([name]) => name).join(' ')}`,
    parameters: [
      projectId,
      ...values.map(([, value]) => Math.max(0, value)),
      ...changed.flatMap(([, value]) => [value, value]),
    ],
    build: () =>
      transaction
        .insertInto('project_storage')
        .values({
          project_id: projectId,
          ...(Object.fromEntries(values.map(([name, value]) => [name, Math.max(0, value)])) as Required<StorageChange>),
        })
        .onConflict((conflict) =>
          conflict.column('project_id').doUpdateSet(
            Object.fromEntries(
              changed.map(([name, value]) => {
                const column = sql.ref<number>(`project_storage.${name}`);
                return [name, sql<number>`case when ${column} + ${value} < 0 then 0 else ${column} + ${value} end`];
              }),
            ),
          ),
        ),
  });
}

function toUsage(row: Selectable<ProjectStorageTable>): ProjectUsage {
  return {
    projectId: row.project_id,
    snapshots: row.snapshots,
    snapshotBytes: row.content_bytes + row.row_bytes,
    batches: row.batches,
    batchBytes: row.batch_bytes,
    logBytes: row.log_bytes,
  };
}
