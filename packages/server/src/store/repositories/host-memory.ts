import type { EngineName } from '@winnow/contract';
import type { Kysely } from 'kysely';
import { PROBATION_INTERVAL_MS, type HostMemory } from '../../domain/capture/capture-ports.ts';
import type { Database } from '../schema/schema.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface HostMemoryOptions {
  /** Time until a host is forgotten and probed again, in milliseconds. Default: 7 days. */
  readonly lifetimeMs?: number;
  readonly now?: () => number;
}

/**
 * Remembers the working engine of hosts for `auto`. An unchanged host is rewritten only after half its lifetime, so
 * that a busy host is not a hot row.
 */
export class SqlHostMemory extends SqlRepository implements HostMemory {
  readonly #lifetimeMs: number;
  readonly #now: () => number;

  constructor(db: Kysely<Database>, options: HostMemoryOptions = {}) {
    super(db);
    this.#lifetimeMs = options.lifetimeMs ?? 7 * DAY_MS;
    this.#now = options.now ?? Date.now;
  }

  async recall(host: string): Promise<EngineName | undefined> {
    return (await this.#find(host, this.#lifetimeMs))?.engine;
  }

  async remember(host: string, engine: EngineName): Promise<void> {
    const known = await this.#find(host, this.#lifetimeMs / 2);
    if (known?.engine === engine) return;
    const values = { engine, updated_at: this.#now() };
    await this.db
      .insertInto('host_memory')
      .values({ host: host.toLowerCase(), ...values })
      .onConflict((conflict) => conflict.column('host').doUpdateSet(values))
      .execute();
  }

  async claimProbation(host: string): Promise<boolean> {
    const now = this.#now();
    return hasEffect(
      this.db
        .updateTable('host_memory')
        .set({ updated_at: now })
        .where('host', '=', host.toLowerCase())
        .where('engine', '!=', 'http')
        .where('updated_at', '<=', now - PROBATION_INTERVAL_MS),
    );
  }

  /** Removes hosts whose lifetime is over; returns their number. */
  async forgetExpired(): Promise<number> {
    const result = await this.db
      .deleteFrom('host_memory')
      .where('updated_at', '<=', this.#now() - this.#lifetimeMs)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  #find(host: string, maxAgeMs: number): Promise<{ engine: EngineName } | undefined> {
    return this.db
      .selectFrom('host_memory')
      .select('engine')
      .where('host', '=', host.toLowerCase())
      .where('updated_at', '>', this.#now() - maxAgeMs)
      .executeTakeFirst();
  }
}
