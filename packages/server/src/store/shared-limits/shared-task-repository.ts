import { sql, type RawBuilder } from 'kysely';
import type { SharedTasks } from '../../domain/shared/leases.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';

/** Tasks that one node at a time performs, as PostgreSQL rows with leases. */
export class SqlSharedTasks extends SqlRepository implements SharedTasks {
  async begin(name: string, owner: string, leaseMs: number): Promise<boolean> {
    const { rows } = await sql`
      insert into shared_tasks as t (name, owner, lease_until, due_at)
      values (${name}, ${owner}, ${DATABASE_NOW} + ${leaseMs}, 0)
      on conflict (name) do update set owner = excluded.owner, lease_until = excluded.lease_until
      where t.lease_until <= ${DATABASE_NOW} and t.due_at <= ${DATABASE_NOW}
      returning name`.execute(this.db);
    return rows.length > 0;
  }

  async renew(name: string, owner: string, leaseMs: number): Promise<boolean> {
    return hasEffect(
      this.db
        .updateTable('shared_tasks')
        .set({ lease_until: sql<number>`${DATABASE_NOW} + ${leaseMs}` })
        .where((eb) => eb.and({ name, owner })),
    );
  }

  async end(name: string, owner: string, dueInMs: number): Promise<void> {
    await this.db
      .updateTable('shared_tasks')
      .set({ owner: null, lease_until: 0, due_at: sql<number>`${DATABASE_NOW} + ${dueInMs}` })
      .where((eb) => eb.and({ name, owner }))
      .execute();
  }
}

/** Milliseconds since 1970 by PostgreSQL's clock, shared by all nodes. */
export const DATABASE_NOW: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
