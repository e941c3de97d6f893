import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Database } from '../schema/schema.ts';
import { BATCH_ROW_BYTES, ITEM_ROW_BYTES, RESULT_ROW_BYTES } from '../../domain/batches/batch-ports.ts';
import { snapshotRowBytesInSql } from '../queries/stored-size.ts';

/** Stored counters of each project's storage and of the progress of batches. */
export const storage: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await addBatchCounts(db);
    await createProjectStorage(db);
    // Serves the check whether a project already has a content; replaces the former index.
    await db.schema
      .createIndex('snapshots_by_hash_project')
      .on('snapshots')
      .columns(['hash', 'project_id', 'stored_bytes'])
      .execute();
    await db.schema.dropIndex('snapshots_by_hash').execute();
    const filled = db as Kysely<Database>;
    await fillBatches(filled);
    await fillProjects(filled);
  },
};

async function addBatchCounts(db: Kysely<unknown>): Promise<void> {
  for (const name of ['done', 'failed', 'cancelled'] as const) {
    await db.schema
      .alterTable('batches')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
  await db.schema
    .alterTable('batches')
    .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('batches').addColumn('deleted_at', 'bigint').execute();
  await db.schema.createIndex('batches_by_deletion').on('batches').column('deleted_at').execute();
}

async function createProjectStorage(db: Kysely<unknown>): Promise<void> {
  let table = db.schema.createTable('project_storage').addColumn('project_id', 'text', (column) => column.primaryKey());
  for (const name of ['snapshots', 'content_bytes', 'row_bytes', 'batches', 'batch_bytes'] as const) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0));
  }
  await table.execute();
}

async function fillBatches(db: Kysely<Database>): Promise<void> {
  const countOf = (state: string) =>
    sql<number>`(select count(*) from batch_items where batch_id = batches.id and state = ${sql.lit(state)})`;
  await db
    .updateTable('batches')
    .set({
      done: countOf('done'),
      failed: countOf('failed'),
      cancelled: countOf('cancelled'),
      bytes: sql<number>`${sql.lit(BATCH_ROW_BYTES)} + octet_length(coalesce(webhook_url, ''))
        + (select coalesce(sum(octet_length(value) + ${sql.lit(ITEM_ROW_BYTES)}), 0)
           from batch_items where batch_id = batches.id)
        + (select coalesce(sum(length(body) + ${sql.lit(RESULT_ROW_BYTES)}), 0)
           from batch_results where batch_id = batches.id)`,
    })
    .execute();
}

async function fillProjects(db: Kysely<Database>): Promise<void> {
  const rows = sql`select project_id, count(*) as snapshots, sum(${snapshotRowBytesInSql()}) as row_bytes
    from snapshots group by project_id`;
  const contents = sql`select project_id, sum(size) as content_bytes
    from (select project_id, max(stored_bytes) as size from snapshots group by hash, project_id) as each_content
    group by project_id`;
  const batches = sql`select project_id, count(*) as batches, sum(bytes) as batch_bytes from batches group by project_id`;
  await sql`insert into project_storage (project_id, snapshots, content_bytes, row_bytes, batches, batch_bytes)
    select projects.id, coalesce(r.snapshots, 0), coalesce(c.content_bytes, 0), coalesce(r.row_bytes, 0),
      coalesce(b.batches, 0), coalesce(b.batch_bytes, 0)
    from projects
    left join (${rows}) as r on r.project_id = projects.id
    left join (${contents}) as c on c.project_id = projects.id
    left join (${batches}) as b on b.project_id = projects.id`.execute(db);
}
