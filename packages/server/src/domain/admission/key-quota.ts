import type { ApiKey } from '../keys/key-ports.ts';
import { QUOTA_WINDOW_SECONDS } from './quota-counter.ts';
import type { QuotaCounter } from './quota-counter.ts';

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

/** Counts the requests of each key in windows of a minute. */
export class KeyQuota {
  /** Quota of keys that have none of their own; 0: no limit. */
  readonly defaultPerMinute: number;
  readonly #counter: QuotaCounter;

  constructor(defaultPerMinute: number, counter: QuotaCounter) {
    this.defaultPerMinute = defaultPerMinute;
    this.#counter = counter;
  }

  /** Takes one request off the quota; undefined when the key has none. */
  async take(key: Pick<ApiKey, 'id' | 'quotaPerMinute'>): Promise<QuotaState | undefined> {
    const limit = key.quotaPerMinute ?? this.defaultPerMinute;
    if (limit === 0) return undefined;
    const { allowed, remaining, resetMs } = await this.#counter.take(key.id, limit);
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    return { limit, windowSeconds: QUOTA_WINDOW_SECONDS, remaining, resetSeconds, allowed };
  }
}
