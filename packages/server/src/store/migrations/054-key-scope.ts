import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keys of assistants, which are only for some of the paths. */
export const keyScope: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_keys').addColumn('scope', 'text').execute();
  },
};
