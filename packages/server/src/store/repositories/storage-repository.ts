import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import type { ProjectUsage, UsageRepository } from '../../domain/storage/storage-ports.ts';
import type { Database } from '../schema/schema.ts';
import type { ProjectStorageTable } from '../schema/storage-schema.ts';

export type StorageChange = Partial<Omit<ProjectStorageTable, 'project_id'>>;

const COUNTERS = ['snapshots', 'content_bytes', 'row_bytes', 'batches', 'batch_bytes'] as const;

export class SqlUsageRepository implements UsageRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async find(projectId: string): Promise<ProjectUsage> {
    const row = await this.#db
      .selectFrom('project_storage')
      .selectAll()
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    return row ? toUsage(row) : { projectId, snapshots: 0, snapshotBytes: 0, batches: 0, batchBytes: 0 };
  }

  async list(): Promise<ProjectUsage[]> {
    const rows = await this.#db.selectFrom('project_storage').selectAll().orderBy('project_id').execute();
    return rows.map(toUsage);
  }
}

/**
 * Adds to a project's storage within the caller's transaction, which locks the project's row. Counters never fall below
 * zero: earlier versions stored without counting.
 */
export async function changeStorage(
  transaction: Kysely<Database>,
  projectId: string,
  change: StorageChange,
): Promise<void> {
  const values = COUNTERS.map((name) => [name, change[name] ?? 0] as const);
  await transaction
    .insertInto('project_storage')
    .values({
      project_id: projectId,
      ...(Object.fromEntries(values.map(([name, value]) => [name, Math.max(0, value)])) as Required<StorageChange>),
    })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet(
        Object.fromEntries(
          values
            .filter(([, value]) => value !== 0)
            .map(([name, value]) => {
              const column = sql.ref<number>(`project_storage.${name}`);
              return [name, sql<number>`case when ${column} + ${value} < 0 then 0 else ${column} + ${value} end`];
            }),
        ),
      ),
    )
    .execute();
}

function toUsage(row: Selectable<ProjectStorageTable>): ProjectUsage {
  return {
    projectId: row.project_id,
    snapshots: row.snapshots,
    snapshotBytes: row.content_bytes + row.row_bytes,
    batches: row.batches,
    batchBytes: row.batch_bytes,
  };
}
