import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pages served by each template version per day. */
export const templateServing: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('template_serving')
      .addColumn('template_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('served', 'integer', (column) => column.notNull())
      .addColumn('failed', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('template_serving_key', ['template_id', 'version', 'day'])
      .execute();
  },
};
