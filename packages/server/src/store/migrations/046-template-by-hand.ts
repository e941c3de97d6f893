import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whether a person set the state of a template version. Older rows say so at the start of their note. */
export const templateByHand: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('templates').addColumn('by_hand', 'integer').execute();
    await sql`update templates set by_hand = 1 where note like 'by hand%'`.execute(db);
  },
};
