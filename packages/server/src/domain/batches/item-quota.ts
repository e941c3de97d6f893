import type { KeyQuota } from '../admission/key-quota.ts';
import type { BatchKey } from './batch-ports.ts';

/** Part of a key's quota that items leave to its requests, so that progress can be read while a batch runs. */
const RESERVED_SHARE = 0.1;

/** Counts each start of an item against the quota of the key that made its batch. */
export class ItemQuota {
  readonly #quota: KeyQuota;
  readonly #now: () => number;
  /** Keys whose items wait: readings of the monotonic clock at which their windows end. */
  readonly #usedUp = new Map<string, number>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(quota: KeyQuota, now: () => number = () => performance.now()) {
    this.#quota = quota;
    this.#now = now;
  }

  /** Takes one item off the quota. Resolves to false when the item must wait for the next window. */
  async take(key: BatchKey | undefined): Promise<boolean> {
    if (key === undefined) return true;
    if (this.isUsedUp(key)) return false;
    const state = await this.#quota.take(key);
    if (state === undefined) return true;
    const { allowed, limit, remaining, resetSeconds } = state;
    // At least one item starts in a window, however small the quota.
    const reserved = Math.min(Math.ceil(limit * RESERVED_SHARE), limit - 1);
    if (!allowed || remaining <= reserved) this.#usedUp.set(key.id, this.#now() + resetSeconds * 1000);
    return allowed;
  }

  /** Returns whether items of the key wait for the next window. */
  isUsedUp(key: BatchKey | undefined): boolean {
    const until = key && this.#usedUp.get(key.id);
    if (key === undefined || until === undefined) return false;
    if (this.#now() < until) return true;
    this.#usedUp.delete(key.id);
    return false;
  }
}
