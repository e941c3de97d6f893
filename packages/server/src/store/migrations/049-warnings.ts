import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Confidence and warnings of requests, and which items of batches have warnings; unknown of older ones. */
export const warnings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('request_log').addColumn('confidence', 'double precision').execute();
    await db.schema.alterTable('request_log').addColumn('warnings', 'text').execute();
    await db.schema.alterTable('batch_items').addColumn('doubtful', 'integer').execute();
  },
};
