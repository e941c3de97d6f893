import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { QuotaGrant, QuotaLedger } from '../../domain/admission/admission-ports.ts';
import { QUOTA_WINDOW_SECONDS } from '../../domain/admission/quotas.ts';
import { DATABASE_NOW } from './shared-task-repository.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

const WINDOW_MS = QUOTA_WINDOW_SECONDS * 1000;

/** Rows of an unused key are removed after this many windows. */
const FORGET_WINDOWS = 60;

/**
 * Quotas as PostgreSQL rows, one a key, reused by later windows. The library `rate-limiter-flexible` would count by the wall
 * clock of each node, and grant requests that arrive together all or none.
 */
export class SqlQuotaLedger extends SqlRepository implements QuotaLedger {
  /** A late statement of the previous window counts in the current one. */
  async take(keyId: string, limit: number, count: number): Promise<QuotaGrant> {
    // The offset of the key's windows, which spreads the resets of quotas over time.
    const phase = createHash('sha256').update(keyId).digest().readUInt32BE(0) % WINDOW_MS;
    const first = Math.min(count, limit);
    const possible = sql<number>`least(${count}::int, greatest(0, ${limit}::int - q.used))`;
    const { rows } = await sql<{ readonly granted: number; readonly used: number; readonly reset_ms: number }>`
      insert into key_quotas as q (key_id, period, used, granted)
      values (${keyId}, (${DATABASE_NOW} + ${phase}) / ${WINDOW_MS}, ${first}::int, ${first}::int)
      on conflict (key_id) do update set
        used = case when excluded.period > q.period then excluded.used else q.used + ${possible} end,
        granted = case when excluded.period > q.period then excluded.granted else ${possible} end,
        period = greatest(q.period, excluded.period)
      returning granted, used, (period + 1) * ${WINDOW_MS} - ${phase} - ${DATABASE_NOW} as reset_ms`.execute(this.db);
    const { granted, used, reset_ms: resetMs } = rows[0] ?? { granted: 0, used: limit, reset_ms: WINDOW_MS };
    return { granted, remaining: Math.max(0, limit - used), resetMs };
  }

  /** Removes rows of keys unused for long. */
  async tidy(): Promise<void> {
    await sql`delete from key_quotas where period < ${DATABASE_NOW} / ${WINDOW_MS} - ${FORGET_WINDOWS}`.execute(
      this.db,
    );
  }
}
