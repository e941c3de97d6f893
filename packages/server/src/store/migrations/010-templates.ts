import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Site templates and their training pages. */
export const templates: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createTemplates(db);
    await createLearning(db);
  },
};

async function createTemplates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('templates')
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('served', 'bigint', (column) => column.notNull())
    .addColumn('failed', 'bigint', (column) => column.notNull())
    .addColumn('compared', 'bigint', (column) => column.notNull())
    .addColumn('disagreed', 'bigint', (column) => column.notNull())
    .addColumn('drift', 'double precision', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('templates_key', ['id', 'version'])
    .execute();
  await db.schema.createIndex('templates_by_domain').on('templates').columns(['domain', 'id']).execute();
  await db.schema.createIndex('templates_by_state').on('templates').columns(['state', 'id']).execute();
  await db.schema
    .createTable('template_hosts')
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('template_id', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('template_hosts_key', ['host', 'template_id', 'version'])
    .execute();
}

async function createLearning(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('learning_hosts')
    .addColumn('host', 'text', (column) => column.primaryKey())
    .addColumn('pages', 'integer', (column) => column.notNull())
    .addColumn('next_attempt', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('learning_pages')
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('dom_id', 'text', (column) => column.notNull())
    .addColumn('confidence', 'double precision', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('learning_pages_key', ['host', 'url'])
    .execute();
  await db.schema.createIndex('learning_pages_by_age').on('learning_pages').columns(['host', 'seen_at']).execute();
  await db.schema.createIndex('learning_pages_oldest').on('learning_pages').column('seen_at').execute();
}
