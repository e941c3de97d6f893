import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pictures of snapshots: the address of their content, its stored bytes, and what they are, as JSON. */
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
