import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Titles of snapshots, for lists; null for older snapshots. */
export const snapshotTitles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('snapshots').addColumn('title', 'text').execute();
  },
};
