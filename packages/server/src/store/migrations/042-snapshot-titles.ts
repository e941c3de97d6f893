import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Titles of stored pages, for lists; unknown for those stored before. */
export const snapshotTitles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('snapshots').addColumn('title', 'text').execute();
  },
};
