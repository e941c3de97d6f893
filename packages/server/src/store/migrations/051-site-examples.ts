import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pages that persons marked to teach a site, and whether the pages of a project are evidence of their sites. */
export const siteExamples: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('site_examples')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('dom_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('shape', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('marks', 'text', (column) => column.notNull())
      .addColumn('page', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('site_examples_key', ['project_id', 'host', 'dom_id'])
      .execute();
    // The previous version inserts projects without it.
    const learns = sql`alter table projects add column learns integer not null default 1`;
    await learns.execute(db);
  },
};
