import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const batches: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createBatches(db);
    await createItems(db);
    await db.schema
      .createTable('batch_results')
      .addColumn('batch_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      // SQLite accepts any type name and stores bytes as bytes.
      .addColumn('body', sql`bytea`, (column) => column.notNull())
      .addPrimaryKeyConstraint('batch_results_key', ['batch_id', 'position'])
      .execute();
  },
};

async function createBatches(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('batches')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('idempotency_key', 'text')
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('loaded', 'integer', (column) => column.notNull())
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('webhook_url', 'text')
    .addColumn('webhook_secret', 'text')
    .addColumn('webhook_state', 'text')
    .addColumn('webhook_attempts', 'integer', (column) => column.notNull())
    .addColumn('webhook_next', 'bigint')
    .addUniqueConstraint('batches_by_idempotency_key', ['project_id', 'idempotency_key'])
    .execute();
  await db.schema.createIndex('batches_by_state').on('batches').columns(['state', 'created_at']).execute();
  await db.schema.createIndex('batches_by_end').on('batches').column('finished_at').execute();
  await db.schema.createIndex('batches_by_webhook').on('batches').column('webhook_next').execute();
}

async function createItems(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('batch_items')
    .addColumn('batch_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .addPrimaryKeyConstraint('batch_items_key', ['batch_id', 'position'])
    .execute();
  await db.schema
    .createIndex('batch_items_by_state')
    .on('batch_items')
    .columns(['batch_id', 'state', 'position'])
    .execute();
  await db.schema.createIndex('batch_items_by_lease').on('batch_items').column('lease_until').execute();
}
