import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** MHTML files of snapshots: content hash, stored bytes and file bytes. */
export const snapshotMhtml: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('snapshots').addColumn('mhtml_hash', 'text').execute();
    await db.schema.alterTable('snapshots').addColumn('mhtml_stored_bytes', 'integer').execute();
    await db.schema.alterTable('snapshots').addColumn('mhtml_bytes', 'integer').execute();
    await db.schema
      .createIndex('snapshots_by_mhtml')
      .on('snapshots')
      .column('mhtml_hash')
      .where('mhtml_hash', 'is not', null)
      .execute();
  },
};
