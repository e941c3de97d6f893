import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { HostClaim, HostLease, HostLeases } from '../../domain/admission/admission-ports.ts';
import { DATABASE_NOW } from './shared-task-repository.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

/** Retries after another node took the same slot concurrently. */
const MAX_RACES = 5;

/** Unused rows of queues and start times are removed after this time, in milliseconds. */
const FORGET_MS = 60_000;

/** The clock as a one-row table, so that a statement reads it once. */
const CLOCK = sql`select ${DATABASE_NOW} as ms`;

/**
 * Concurrency slots of target hosts as PostgreSQL rows, one per used slot, so that only simultaneous requests for the
 * same host contend.
 */
export class SqlHostLeases extends SqlRepository implements HostLeases {
  async claim(claim: HostClaim): Promise<HostLease | undefined> {
    for (let races = 0; races < MAX_RACES; races += 1) {
      const { lease, hadRoom } = await this.#tryClaim(claim);
      if (lease !== undefined) {
        if (claim.stoodInLine) await this.#endTurn(claim);
        return lease;
      }
      if (!hadRoom) break;
    }
    await this.#joinLine(claim);
    return undefined;
  }

  async leave(host: string, node: string): Promise<void> {
    await this.db.deleteFrom('host_lines').where('host', '=', host).where('node', '=', node).execute();
  }

  async release({ host, slot, id }: HostLease): Promise<void> {
    await this.db
      .deleteFrom('host_slots')
      .where((eb) => eb.and({ host, slot, lease: id }))
      .execute();
  }

  async renew(leases: readonly HostLease[], leaseMs: number): Promise<void> {
    const [hosts, slots, ids] = [
      leases.map(({ host }) => host),
      leases.map(({ slot }) => slot),
      leases.map(({ id }) => id),
    ];
    await sql`
      update host_slots h set lease_until = clock.ms + ${leaseMs}
      from (${CLOCK}) clock, unnest(${hosts}::text[], ${slots}::int[], ${ids}::text[]) as held (host, slot, lease)
      where h.host = held.host and h.slot = held.slot and h.lease = held.lease`.execute(this.db);
  }

  async reserveStart(
    host: string,
    spacingMs: number,
    maxWaitMs: number,
  ): Promise<{ waitMs: number; reserved: boolean }> {
    const { rows } = await sql<{ wait_ms: number }>`
      with clock as (${CLOCK})
      insert into host_starts as h (host, next_at)
      select ${host}, clock.ms + ${spacingMs} from clock
      on conflict (host) do update set next_at = greatest(h.next_at, excluded.next_at - ${spacingMs}) + ${spacingMs}
      where h.next_at - (excluded.next_at - ${spacingMs}) <= ${Math.floor(maxWaitMs)}
      returning next_at - ${spacingMs} - (select ms from clock) as wait_ms`.execute(this.db);
    if (rows[0] !== undefined) return { waitMs: Math.max(0, rows[0].wait_ms), reserved: true };
    const late = await sql<{ wait_ms: number }>`
      select next_at - clock.ms as wait_ms from host_starts, (${CLOCK}) clock where host = ${host}`.execute(this.db);
    return { waitMs: late.rows[0]?.wait_ms ?? 0, reserved: false };
  }

  /** Removes expired rows. */
  async tidy(): Promise<void> {
    await sql`delete from host_slots using (${CLOCK}) clock where lease_until < clock.ms - ${FORGET_MS}`.execute(
      this.db,
    );
    await sql`delete from host_lines using (${CLOCK}) clock where until < clock.ms - ${FORGET_MS}`.execute(this.db);
    await sql`delete from host_starts using (${CLOCK}) clock where next_at < clock.ms - ${FORGET_MS}`.execute(this.db);
  }

  /** Takes a random free slot, which makes collisions rare. Nodes that have waited longer go first. */
  async #tryClaim(claim: HostClaim): Promise<{ lease: HostLease | undefined; hadRoom: boolean }> {
    const { host, node, slots, leaseMs } = claim;
    const id = randomUUID();
    const { rows } = await sql<{ slot: number | null; has_room: boolean }>`
      with clock as materialized (${CLOCK}),
      free as materialized (
        select place.slot from generate_series(0, ${slots}::int - 1) as place (slot)
        where not exists (
          select 1 from host_slots h
          where h.host = ${host} and h.slot = place.slot and h.lease_until > (select ms from clock)
        )
      ),
      room as materialized (
        select (select count(*) from free) > (
          select count(*) from host_lines other
          where other.host = ${host} and other.node <> ${node} and other.until > (select ms from clock)
          and other.since < coalesce(
            (select own.since from host_lines own where own.host = ${host} and own.node = ${node}),
            (select ms from clock)
          )
        ) as has_room
      ),
      taken as (
        insert into host_slots as h (host, slot, lease, lease_until)
        select ${host}, free.slot, ${id}, (select ms from clock) + ${leaseMs}
        from free where (select has_room from room) order by random() limit 1
        on conflict (host, slot) do update set lease = excluded.lease, lease_until = excluded.lease_until
        where h.lease_until <= (select ms from clock)
        returning slot
      )
      select (select slot from taken) as slot, has_room from room`.execute(this.db);
    const { slot = null, has_room: hadRoom = false } = rows[0] ?? {};
    return { lease: slot === null ? undefined : { host, slot, id }, hadRoom };
  }

  /** Joins the queue of a host. A node that is already queued keeps its position. */
  async #joinLine({ host, node, lineMs }: HostClaim): Promise<void> {
    await sql`
      insert into host_lines as l (host, node, since, until)
      select ${host}, ${node}, clock.ms, clock.ms + ${lineMs} from (${CLOCK}) clock
      on conflict (host, node) do update set
        since = case when l.until < excluded.since then excluded.since else l.since end,
        until = excluded.until`.execute(this.db);
  }

  /** Leaves the queue after a turn, or moves to its end when more requests of the node wait. */
  async #endTurn({ host, node, moreWait }: HostClaim): Promise<void> {
    if (!moreWait) return this.leave(host, node);
    await sql`update host_lines l set since = clock.ms from (${CLOCK}) clock
      where l.host = ${host} and l.node = ${node}`.execute(this.db);
  }
}
