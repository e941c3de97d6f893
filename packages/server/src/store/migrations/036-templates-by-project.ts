import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Assigns templates and their training pages to projects; existing templates become shared. The former tables stay,
 * empty, because the previous version still writes to them.
 */
export const templatesByProject: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('templates').addColumn('project_id', 'text').execute();
    await createLearning(db);
    await sql`insert into project_learning_pages (project_id, host, url, dom_id, confidence, seen_at)
      select project_id, host, url, dom_id, confidence, seen_at from learning_pages`.execute(db);
    await sql`insert into project_learning_hosts (project_id, host, pages, next_attempt, lease_owner, lease_until)
      select pages.project_id, pages.host, pages.pages, hosts.next_attempt, null, 0
      from (select project_id, host, count(*) as pages from learning_pages group by project_id, host) as pages
      join learning_hosts as hosts on hosts.host = pages.host`.execute(db);
    await sql`delete from learning_pages`.execute(db);
    await sql`delete from learning_hosts`.execute(db);
  },
};

async function createLearning(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_learning_hosts')
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('pages', 'integer', (column) => column.notNull())
    .addColumn('next_attempt', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('project_learning_hosts_key', ['project_id', 'host'])
    .execute();
  await db.schema
    .createTable('project_learning_pages')
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('dom_id', 'text', (column) => column.notNull())
    .addColumn('confidence', 'double precision', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('project_learning_pages_key', ['project_id', 'host', 'url'])
    .execute();
  for (const [name, columns] of LEARNING_INDEXES) {
    await db.schema
      .createIndex(name)
      .on('project_learning_pages')
      .columns([...columns])
      .execute();
  }
}

/** Name → columns: the newest pages of a host, the oldest of all, the oldest of a project. */
const LEARNING_INDEXES = [
  ['project_learning_pages_by_age', ['project_id', 'host', 'seen_at']],
  ['project_learning_pages_oldest', ['seen_at']],
  ['project_learning_pages_of_project', ['project_id', 'seen_at']],
] as const;
