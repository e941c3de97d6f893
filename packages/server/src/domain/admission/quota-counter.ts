import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Length of a window of every quota. */
export const QUOTA_WINDOW_SECONDS = 60;

export interface QuotaReading {
  readonly allowed: boolean;
  /** Requests that the window has left. */
  readonly remaining: number;
  /** Milliseconds until the window ends and the quota is whole again. */
  readonly resetMs: number;
}

export interface QuotaCounter {
  /** Takes one request off what a key may send in the present window. */
  take(keyId: string, limit: number): Promise<QuotaReading>;
}

/** Counts in this process, which is all there is with SQLite. A window begins with a key's first request. */
export class MemoryQuotaCounter implements QuotaCounter {
  /** One counter for each size of quota. */
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
  // A clock that was set back must not make a minute longer.
  const resetMs = Math.min(msBeforeNext, QUOTA_WINDOW_SECONDS * 1000);
  return { allowed, remaining: Math.max(0, remainingPoints), resetMs };
}
