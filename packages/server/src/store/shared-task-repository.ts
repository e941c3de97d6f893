import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { SharedTasks } from '../domain/shared-tasks.ts';
import type { Database } from './schema.ts';

const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Work that one node at a time does, as rows of PostgreSQL with leases. */
export class SqlSharedTasks implements SharedTasks {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async begin(name: string, owner: string, leaseMs: number): Promise<boolean> {
    const { rows } = await sql`
      insert into shared_tasks as t (name, owner, lease_until, due_at)
      values (${name}, ${owner}, ${NOW} + ${leaseMs}, 0)
      on conflict (name) do update set owner = excluded.owner, lease_until = excluded.lease_until
      where t.lease_until <= ${NOW} and t.due_at <= ${NOW}
      returning name`.execute(this.#db);
    return rows.length > 0;
  }

  async renew(name: string, owner: string, leaseMs: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('shared_tasks')
      .set({ lease_until: sql<number>`${NOW} + ${leaseMs}` })
      .where('name', '=', name)
      .where('owner', '=', owner)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async end(name: string, owner: string, dueInMs: number): Promise<void> {
    await this.#db
      .updateTable('shared_tasks')
      .set({ owner: null, lease_until: 0, due_at: sql<number>`${NOW} + ${dueInMs}` })
      .where('name', '=', name)
      .where('owner', '=', owner)
      .execute();
  }
}
