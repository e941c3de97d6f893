import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Crawls: batches whose items are found on the way. */
export const crawls: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('batches').addColumn('skipped', 'text').execute();
    await db.schema.alterTable('batch_items').addColumn('depth', 'integer').execute();
    await db.schema.alterTable('batch_items').addColumn('found_on', 'integer').execute();
    await db.schema
      .createTable('crawl_seen')
      .addColumn('batch_id', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('pages', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('crawl_seen_key', ['batch_id', 'key'])
      .execute();
  },
};
