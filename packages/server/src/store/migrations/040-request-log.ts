import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const requestLog: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('request_log')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text')
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('status', 'integer', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('stage', 'text')
      .addColumn('url', 'text')
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('engine', 'text')
      .addColumn('dom_id', 'text')
      .addColumn('template_id', 'text')
      .addColumn('elapsed_ms', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('request_log_by_time').on('request_log').columns(['project_id', 'at', 'id']).execute();
    await db.schema
      .createIndex('request_log_by_request')
      .on('request_log')
      .columns(['project_id', 'request_id'])
      .execute();
    await db.schema
      .createTable('request_details')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('detail', 'text', (column) => column.notNull())
      .execute();
  },
};
