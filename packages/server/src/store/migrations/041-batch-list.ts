import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Index for the newest batches of a project. */
export const batchList: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createIndex('batches_by_project')
      .on('batches')
      .columns(['project_id', 'created_at', 'id'])
      .execute();
  },
};
