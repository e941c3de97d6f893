import type { ApiKey } from '../keys/key-ports.ts';
import { QUOTA_WINDOW_SECONDS } from './quota-counter.ts';
import type { QuotaCounter } from './quota-counter.ts';

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
