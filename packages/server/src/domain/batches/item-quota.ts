import type { KeyQuota } from '../admission/key-quota.ts';
import type { BatchKey } from './batch-ports.ts';

/** Reserved for requests, such as those that read the progress. */
const RESERVED_SHARE = 0.1;

export class ItemQuota {
  readonly #quota: KeyQuota;
  readonly #now: () => number;
  /** By monotonic clock. */
  readonly #usedUp = new Map<string, number>();

  /** @param now monotonic, in milliseconds */
  constructor(quota: KeyQuota, now: () => number = () => performance.now()) {
    this.#quota = quota;
    this.#now = now;
  }

  /** False if the item must wait. */
  async take(key: BatchKey | undefined): Promise<boolean> {
    if (key === undefined) return true;
    if (this.isUsedUp(key)) return false;
    const state = await this.#quota.take(key);
    if (state === undefined) return true;
    const { allowed, limit, remaining, resetSeconds } = state;
    // At least one item per window starts.
    const reserved = Math.min(Math.ceil(limit * RESERVED_SHARE), limit - 1);
    if (!allowed || remaining <= reserved) this.#usedUp.set(key.id, this.#now() + resetSeconds * 1000);
    return allowed;
  }

  isUsedUp(key: BatchKey | undefined): boolean {
    const until = key && this.#usedUp.get(key.id);
    if (key === undefined || until === undefined) return false;
    if (this.#now() < until) return true;
    this.#usedUp.delete(key.id);
    return false;
  }
}
