import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Index for the newest snapshot of a page; older rows have no key and are not reused. */
export const snapshotReuse: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('snapshots').addColumn('reuse_key', 'text').execute();
    await db.schema
      .createIndex('snapshots_by_reuse_key')
      .on('snapshots')
      .columns(['project_id', 'reuse_key', 'fetched_at'])
      .execute();
  },
};
