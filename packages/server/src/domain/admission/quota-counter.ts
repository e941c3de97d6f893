import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export const QUOTA_WINDOW_SECONDS = 60;

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
  readonly #counters = new Map<number, RateLimiterMemory>();

  async take(keyId: string, limit: number): Promise<QuotaReading> {
    try {
      return describe(await this.#counter(limit).consume(keyId), true);
    } catch (error) {
      if (error instanceof RateLimiterRes) return describe(error, false);
      throw error;
    }
  }

  #counter(points: number): RateLimiterMemory {
    let counter = this.#counters.get(points);
    if (counter === undefined) {
      counter = new RateLimiterMemory({ points, duration: QUOTA_WINDOW_SECONDS });
      this.#counters.set(points, counter);
    }
    return counter;
  }
}

function describe({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): QuotaReading {
  // A clock set back must not prolong a window.
  const resetMs = Math.min(msBeforeNext, QUOTA_WINDOW_SECONDS * 1000);
  return { allowed, remaining: Math.max(0, remainingPoints), resetMs };
}
