import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createProjects(db);
    await createSnapshots(db);
    await db.schema
      .createTable('host_memory')
      .addColumn('host', 'text', (column) => column.primaryKey())
      .addColumn('engine', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('host_memory_by_age').on('host_memory').column('updated_at').execute();
    await db.schema
      .createTable('settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
  },
};

async function createProjects(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('quota_per_minute', 'integer')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('api_keys_by_project').on('api_keys').columns(['project_id', 'created_at']).execute();
}

async function createSnapshots(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('snapshots')
    .addColumn('dom_id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('stored_bytes', 'bigint', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('final_url', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('status_code', 'integer', (column) => column.notNull())
    .addColumn('engine', 'text', (column) => column.notNull())
    .addColumn('fetched_at', 'bigint', (column) => column.notNull())
    .addColumn('content_type', 'text')
    .addColumn('content_language', 'text')
    .addColumn('filtered', 'integer', (column) => column.notNull())
    .execute();
  for (const [name, columns] of SNAPSHOT_INDEXES) {
    await db.schema
      .createIndex(name)
      .on('snapshots')
      .columns([...columns])
      .execute();
  }
}

/** Name → columns; each index serves one query. */
const SNAPSHOT_INDEXES = [
  ['snapshots_by_project_time', ['project_id', 'fetched_at', 'dom_id']],
  ['snapshots_by_project_host', ['project_id', 'host', 'fetched_at', 'dom_id']],
  ['snapshots_by_age', ['fetched_at', 'dom_id']],
  // Serves the search for references and the sum of sizes.
  ['snapshots_by_hash', ['hash', 'stored_bytes']],
] as const;
