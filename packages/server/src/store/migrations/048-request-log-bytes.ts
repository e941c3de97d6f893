import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Bytes of the request log, of each entry and of each project; older entries count as empty. */
export const requestLogBytes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('request_log').addColumn('bytes', 'integer').execute();
    await db.schema
      .alterTable('project_storage')
      .addColumn('log_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
