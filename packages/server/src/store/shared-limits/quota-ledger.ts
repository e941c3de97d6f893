import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { QuotaGrant, QuotaLedger } from '../../domain/admission/admission-ports.ts';
import { QUOTA_WINDOW_SECONDS } from '../../domain/admission/quota-counter.ts';
import { DATABASE_NOW } from '../queries/database-clock.ts';
import type { Database } from '../schema/schema.ts';

const WINDOW_MS = QUOTA_WINDOW_SECONDS * 1000;

/** Rows of an unused key are removed after this many windows. */
const FORGET_WINDOWS = 60;

/** Requests per minute and row; a larger quota is spread over several rows. */
const PER_SHARD = 6000;
const MAX_SHARDS = 16;

/** A shard and its part of the quota. */
interface Shard {
  readonly shard: number;
  readonly cap: number;
}

interface Taken {
  readonly granted: number;
  readonly used: number;
  readonly reset_ms: number;
}

/**
 * Quotas as PostgreSQL rows per key and shard, reused by later windows. Shards prevent a hot row for a busy key. A node
 * uses up one shard, then takes from others.
 */
export class SqlQuotaLedger implements QuotaLedger {
  readonly #db: Kysely<Database>;
  /** First shard of this node; random, so that nodes differ. */
  readonly #first = Math.floor(Math.random() * MAX_SHARDS);

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async take(keyId: string, limit: number, count: number): Promise<QuotaGrant> {
    const phase = phaseOf(keyId);
    const shards = splitQuota(limit);
    const first = shards[this.#first % shards.length] ?? { shard: 0, cap: limit };
    let last = await this.#takeFrom(keyId, phase, first, count);
    let granted = last.granted;
    if (shards.length === 1) return { granted, remaining: first.cap - last.used, resetMs: last.reset_ms };
    const left = await this.#readLeft(keyId, phase, shards);
    for (const { shard, cap } of left) {
      if (granted === count) break;
      last = await this.#takeFrom(keyId, phase, { shard, cap }, count - granted);
      granted += last.granted;
    }
    const remaining = granted < count ? 0 : left.reduce((sum, one) => sum + one.left, 0);
    return { granted, remaining, resetMs: last.reset_ms };
  }

  /** Removes rows of keys unused for long. */
  async tidy(): Promise<void> {
    await sql`delete from key_quotas where period < ${DATABASE_NOW} / ${WINDOW_MS} - ${FORGET_WINDOWS}`.execute(
      this.#db,
    );
  }

  /** Takes requests from a shard. A late statement of the previous window counts in the current one. */
  async #takeFrom(keyId: string, phase: number, { shard, cap }: Shard, count: number): Promise<Taken> {
    const possible = sql<number>`least(${count}::int, greatest(0, ${cap}::int - q.used))`;
    const { rows } = await sql<Taken>`
      insert into key_quotas as q (key_id, shard, period, used, granted)
      values (${keyId}, ${shard}, (${DATABASE_NOW} + ${phase}) / ${WINDOW_MS}, least(${count}::int, ${cap}::int), least(${count}::int, ${cap}::int))
      on conflict (key_id, shard) do update set
        used = case when excluded.period > q.period then excluded.used else q.used + ${possible} end,
        granted = case when excluded.period > q.period then excluded.granted else ${possible} end,
        period = greatest(q.period, excluded.period)
      returning granted, used, (period + 1) * ${WINDOW_MS} - ${phase} - ${DATABASE_NOW} as reset_ms`.execute(this.#db);
    return rows[0] ?? { granted: 0, used: cap, reset_ms: WINDOW_MS };
  }

  /** Returns shards with remaining quota, largest remainder first. */
  async #readLeft(keyId: string, phase: number, shards: readonly Shard[]): Promise<(Shard & { left: number })[]> {
    const rows = await this.#db
      .selectFrom('key_quotas')
      .select(['shard', 'used'])
      .where('key_id', '=', keyId)
      .where(sql<boolean>`period >= (${DATABASE_NOW} + ${phase}) / ${WINDOW_MS}`)
      .execute();
    const used = new Map(rows.map((row) => [row.shard, row.used]));
    return shards
      .map(({ shard, cap }) => ({ shard, cap, left: Math.max(0, cap - (used.get(shard) ?? 0)) }))
      .filter(({ left }) => left > 0)
      .toSorted((a, b) => b.left - a.left);
  }
}

function splitQuota(limit: number): Shard[] {
  const count = Math.min(MAX_SHARDS, Math.ceil(limit / PER_SHARD));
  return Array.from({ length: count }, (_, shard) => ({
    shard,
    cap: Math.floor(limit / count) + (shard < limit % count ? 1 : 0),
  }));
}

/** Returns the window offset of a key in milliseconds; it spreads the resets of quotas over time. */
function phaseOf(keyId: string): number {
  return createHash('sha256').update(keyId).digest().readUInt32BE(0) % WINDOW_MS;
}
