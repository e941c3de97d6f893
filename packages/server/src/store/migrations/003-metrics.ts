import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const metrics: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('request_spans')
      .addColumn('span_seconds', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('process', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('stage', 'text', (column) => column.notNull())
      .addColumn('engine', 'text', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('histogram', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('request_spans_key', [
        'span_seconds',
        'at',
        'process',
        'project_id',
        'code',
        'stage',
        'engine',
      ])
      .execute();
    await db.schema
      .createTable('gauge_samples')
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('process', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('value', 'double precision', (column) => column.notNull())
      .addPrimaryKeyConstraint('gauge_samples_key', ['at', 'process', 'name', 'project_id'])
      .execute();
  },
};
