import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ApiKey } from '../ports.ts';

/** What is left of a key's quota. */
export interface QuotaState {
  /** Requests in one window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Whole seconds until the window ends and the quota is whole again. */
  readonly resetSeconds: number;
  readonly allowed: boolean;
}

const WINDOW_SECONDS = 60;

/**
 * Counts the requests of each key in windows of a minute, which begin with a key's first request. Counted in
 * this process: several processes side by side each grant the whole quota.
 */
export class KeyQuota {
  readonly #defaultPerMinute: number;
  /** One counter for each size of quota. */
  readonly #counters = new Map<number, RateLimiterMemory>();

  /** @param defaultPerMinute quota of keys that have none of their own; 0: no limit */
  constructor(defaultPerMinute: number) {
    this.#defaultPerMinute = defaultPerMinute;
  }

  /** Takes one request off the quota; undefined when the key has none. */
  async take(key: Pick<ApiKey, 'id' | 'quotaPerMinute'>): Promise<QuotaState | undefined> {
    const limit = key.quotaPerMinute ?? this.#defaultPerMinute;
    if (limit === 0) return undefined;
    try {
      return describe(limit, await this.#counter(limit).consume(key.id), true);
    } catch (error) {
      if (error instanceof RateLimiterRes) return describe(limit, error, false);
      throw error;
    }
  }

  #counter(points: number): RateLimiterMemory {
    let counter = this.#counters.get(points);
    if (counter === undefined) {
      counter = new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
      this.#counters.set(points, counter);
    }
    return counter;
  }
}

function describe(limit: number, result: RateLimiterRes, allowed: boolean): QuotaState {
  const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    remaining: Math.max(0, result.remainingPoints),
    resetSeconds,
    allowed,
  };
}
