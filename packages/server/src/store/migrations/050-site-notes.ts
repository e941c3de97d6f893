import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Notes of pages take the place of learned templates. The tables of learning stay, empty, because the previous version
 * still writes to them; those of the version before it go.
 */
export const siteNotes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createNotes(db);
    await db.schema.alterTable('templates').addColumn('filled', 'text').execute();
    await retireLearned(db);
    await sql`delete from project_learning_pages`.execute(db);
    await sql`delete from project_learning_hosts`.execute(db);
    await db.schema.dropTable('learning_pages').execute();
    await db.schema.dropTable('learning_hosts').execute();
  },
};

async function createNotes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('site_notes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('shape', 'text', (column) => column.notNull())
    .addColumn('serial', 'integer', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    // The last column: SQLite reads the ones before it without its pages.
    .addColumn('notes', 'text', (column) => column.notNull())
    .execute();
  for (const [name, columns] of INDEXES) {
    await db.schema
      .createIndex(name)
      .on('site_notes')
      .columns([...columns])
      .execute();
  }
}

/** Name → columns: the newest pages of a place, the oldest of a project, the oldest of all. */
const INDEXES = [
  ['site_notes_of_place', ['project_id', 'host', 'shape', 'serial']],
  ['site_notes_of_project', ['project_id', 'seen_at']],
  ['site_notes_oldest', ['seen_at']],
] as const;

/** Templates by persons that the service had stopped serve again: each page that they do not fit is answered without them. */
async function retireLearned(db: Kysely<unknown>): Promise<void> {
  const isLearned = sql<boolean>`document like '%"provenance":{"source":"induced"%'`;
  await sql`update templates set state = 'retired', by_hand = 1, changed_at = ${Date.now()},
    note = 'learned by an earlier version: evidence of the site takes its place'
    where state <> 'retired' and ${isLearned}`.execute(db);
  await sql`update templates set state = 'active', changed_at = ${Date.now()} where state = 'suspect'`.execute(db);
}
