import { PostgresAdapter, sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Limits shared by nodes, for PostgreSQL only. All tables except the tasks are unlogged: rows matter for a minute at most,
 * and a crash of the database may reset the limits.
 */
export const sharedLimits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
    await db.schema
      .createTable('key_quotas')
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('shard', 'integer', (column) => column.notNull())
      .addColumn('period', 'bigint', (column) => column.notNull())
      .addColumn('used', 'integer', (column) => column.notNull())
      .addColumn('granted', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('key_quotas_key', ['key_id', 'shard'])
      .execute();
    await db.schema
      .createTable('host_slots')
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('slot', 'integer', (column) => column.notNull())
      .addColumn('lease', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('host_slots_key', ['host', 'slot'])
      .execute();
    await db.schema
      .createTable('host_lines')
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('host_lines_key', ['host', 'node'])
      .execute();
    await db.schema
      .createTable('host_starts')
      .addColumn('host', 'text', (column) => column.primaryKey())
      .addColumn('next_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('shared_tasks')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text')
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const table of ['key_quotas', 'host_slots', 'host_lines', 'host_starts']) {
      await sql`alter table ${sql.table(table)} set unlogged`.execute(db);
      // Rows are updated often: free space keeps the next version of a row on the same page.
      await sql`alter table ${sql.table(table)} set (fillfactor = 50)`.execute(db);
    }
  },
};
