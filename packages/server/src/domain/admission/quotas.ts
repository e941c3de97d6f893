import type { ApiKey } from '../keys/key-ports.ts';
import type { QuotaLedger } from './admission-ports.ts';

export const QUOTA_WINDOW_SECONDS = 60;

const WINDOW_MS = QUOTA_WINDOW_SECONDS * 1000;

export interface QuotaReading {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
}

export interface QuotaCounter {
  take(keyId: string, limit: number): Promise<QuotaReading>;
}

/** Counts within this process, for SQLite. A window starts with a key's first request. */
export class MemoryQuotaCounter implements QuotaCounter {
  /** By key and limit. All windows are equally long, so the first one ends first. */
  readonly #windows = new Map<string, { readonly startedAt: number; taken: number }>();
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock: a wall clock set back would prolong windows */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async take(keyId: string, limit: number): Promise<QuotaReading> {
    const now = this.#now();
    this.#dropEnded(now);
    const name = `${limit} ${keyId}`;
    const window = this.#windows.get(name) ?? { startedAt: now, taken: 0 };
    window.taken += 1;
    this.#windows.set(name, window);
    return {
      allowed: window.taken <= limit,
      remaining: Math.max(0, limit - window.taken),
      resetMs: WINDOW_MS - (now - window.startedAt),
    };
  }

  #dropEnded(now: number): void {
    for (const [name, { startedAt }] of this.#windows) {
      if (now - startedAt < WINDOW_MS) return;
      this.#windows.delete(name);
    }
  }
}

export interface QuotaState {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly allowed: boolean;
}

export class KeyQuota {
  /** 0: unlimited. */
  readonly defaultPerMinute: number;
  readonly #counter: QuotaCounter;

  constructor(defaultPerMinute: number, counter: QuotaCounter) {
    this.defaultPerMinute = defaultPerMinute;
    this.#counter = counter;
  }

  /** Undefined for unlimited keys. */
  async take(key: Pick<ApiKey, 'id' | 'quotaPerMinute'>): Promise<QuotaState | undefined> {
    const limit = key.quotaPerMinute ?? this.defaultPerMinute;
    if (limit === 0) return undefined;
    const { allowed, remaining, resetMs } = await this.#counter.take(key.id, limit);
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    return { limit, windowSeconds: QUOTA_WINDOW_SECONDS, remaining, resetSeconds, allowed };
  }
}

interface Waiter {
  readonly resolve: (reading: QuotaReading) => void;
  readonly reject: (error: unknown) => void;
}

interface Line {
  waiting: Waiter[];
  isAsking: boolean;
}

/** An exhausted window: requests until its end are refused without a query. */
interface UsedUp {
  readonly limit: number;
  readonly until: number;
}

const TIDY_ABOVE = 1000;

/**
 * Counts exactly across nodes. Requests that arrive during a query share the next one. Reserves nothing in advance, so
 * a dying node loses nothing.
 */
export class SharedQuotaCounter implements QuotaCounter {
  readonly #ledger: QuotaLedger;
  readonly #lines = new Map<string, Line>();
  readonly #usedUp = new Map<string, UsedUp>();

  constructor(ledger: QuotaLedger) {
    this.#ledger = ledger;
  }

  take(keyId: string, limit: number): Promise<QuotaReading> {
    const usedUp = this.#usedUp.get(keyId);
    const resetMs = usedUp?.limit === limit ? usedUp.until - performance.now() : 0;
    if (resetMs > 0) return Promise.resolve({ allowed: false, remaining: 0, resetMs });
    return new Promise((resolve, reject) => {
      const name = `${limit} ${keyId}`;
      const line = this.#lines.get(name) ?? { waiting: [], isAsking: false };
      this.#lines.set(name, line);
      line.waiting.push({ resolve, reject });
      if (!line.isAsking) void this.#serve(name, line, keyId, limit);
    });
  }

  async #serve(name: string, line: Line, keyId: string, limit: number): Promise<void> {
    line.isAsking = true;
    while (line.waiting.length > 0) {
      const waiting = line.waiting;
      line.waiting = [];
      await this.#ask(waiting, keyId, limit);
    }
    this.#lines.delete(name);
  }

  async #ask(waiting: readonly Waiter[], keyId: string, limit: number): Promise<void> {
    const askedAt = performance.now();
    try {
      const { granted, remaining, resetMs } = await this.#ledger.take(keyId, limit, waiting.length);
      if (granted < waiting.length) this.#noteUsedUp(keyId, { limit, until: askedAt + resetMs });
      for (const [index, { resolve }] of waiting.entries()) {
        // As if they had arrived one after another.
        const left = remaining + Math.max(0, granted - 1 - index);
        resolve({ allowed: index < granted, remaining: left, resetMs });
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  #noteUsedUp(keyId: string, usedUp: UsedUp): void {
    this.#usedUp.set(keyId, usedUp);
    if (this.#usedUp.size <= TIDY_ABOVE) return;
    const now = performance.now();
    for (const [id, { until }] of this.#usedUp) if (until <= now) this.#usedUp.delete(id);
  }
}
