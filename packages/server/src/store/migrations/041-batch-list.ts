import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lists the batches of a project, the newest first. */
export const batchList: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createIndex('batches_by_project')
      .on('batches')
      .columns(['project_id', 'created_at', 'id'])
      .execute();
  },
};
