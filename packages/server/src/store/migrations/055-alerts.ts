import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What projects want to be told of. */
export const alerts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('alerts')
      .addColumn('project_id', 'text', (column) => column.notNull().primaryKey())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('error_rate', 'double precision')
      .addColumn('fill_rates', 'integer', (column) => column.notNull())
      .addColumn('active', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .execute();
  },
};
