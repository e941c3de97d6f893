import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Screenshots of snapshots: content hash, stored bytes, and metadata as JSON. */
export const snapshotScreenshots: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('snapshots').addColumn('screenshot_hash', 'text').execute();
    await db.schema.alterTable('snapshots').addColumn('screenshot_bytes', 'integer').execute();
    await db.schema.alterTable('snapshots').addColumn('screenshot', 'text').execute();
    await db.schema
      .createIndex('snapshots_by_screenshot')
      .on('snapshots')
      .column('screenshot_hash')
      .where('screenshot_hash', 'is not', null)
      .execute();
  },
};
