import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The pace of crawls, and their comparison with earlier ones. */
export const crawlChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('batches').addColumn('next_claim', 'bigint').execute();
    await db.schema.alterTable('batches').addColumn('changes', 'text').execute();
    await db.schema.alterTable('crawl_seen').addColumn('position', 'integer').execute();
  },
};
