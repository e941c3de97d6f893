import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, shuttingDown, toAppError } from '../shared/errors.ts';
import { keepLease } from '../shared/leases.ts';
import type { Logger } from '../shared/ports.ts';
import { WakeableSleep } from '../shared/time-limit.ts';
import type { BatchQueue, BatchRepository, ClaimedItem, ItemResult, BatchKey } from './batch-ports.ts';
import type { KeyQuota } from '../admission/quotas.ts';

interface BatchRunnerOptions {
  readonly batches: Pick<BatchRepository, 'completeFinished'>;
  readonly queue: BatchQueue;
  /** Rejects when the service is full or failing; faults of the item are results. */
  readonly runItem: (item: ClaimedItem, signal: AbortSignal) => Promise<ItemResult>;
  readonly describeFailure: (item: ClaimedItem, error: AppError) => ItemResult;
  /** Called for each stored result. */
  readonly onFinished?: (item: ClaimedItem, result: ItemResult) => void;
  readonly owner: string;
  /** Items at a time; 0: none. */
  readonly concurrency: number;
  readonly logger: Logger;
  /** Default: no quotas. */
  readonly quota?: ItemQuota;
  /** No other process runs: existing leases belong to dead ones. Default false. */
  readonly isAlone?: boolean;
  /** Default 30,000. */
  readonly leaseMs?: number;
  /** Default 1000. */
  readonly idleMs?: number;
}

const LEASE_MS = 30_000;
const IDLE_MS = 1000;

/** Looks for items of dead nodes. */
const RECLAIMS_PER_LEASE = 3;

/** The maximum of a Date. */
const MAX_TIME_MS = 8.64e15;

/** For items that end the process, and for items that fail for a reason that nobody foresaw. */
const MAX_TRIES = 2;

/** Processes batch items; leases ensure that each item has a single owner. */
export class BatchRunner {
  readonly #options: BatchRunnerOptions;
  readonly #stop = new AbortController();
  readonly #sleeper = new WakeableSleep(this.#stop.signal);
  readonly #running = new Set<Promise<void>>();
  readonly #leaseMs: number;
  #stopRenewing: (() => void) | undefined;
  #loop: Promise<void> | undefined;
  #clock: Promise<void> | undefined;
  #done = 0;
  /** Waits for all running items, to claim one item. */
  #isClaimingOne = false;

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
  }

  get done(): number {
    return this.#done;
  }

  start(): void {
    const { queue, owner, concurrency } = this.#options;
    if (concurrency === 0 || this.#loop !== undefined) return;
    const renew = async (): Promise<void> => {
      if (this.#running.size > 0) await queue.renew({ owner, until: this.#leaseEnd() });
    };
    this.#stopRenewing = keepLease(this.#leaseMs, renew, this.#warn('renewing leases'));
    this.#loop = this.#work();
    this.#clock = this.#completeWhileBusy();
  }

  wake(): void {
    this.#sleeper.wake();
  }

  /** Returns running items to the queue. */
  async close(): Promise<void> {
    this.#stop.abort(shuttingDown());
    await Promise.all([this.#loop, this.#clock]);
    await Promise.all(this.#running);
    this.#stopRenewing?.();
  }

  async #work(): Promise<void> {
    let nextTidy = 0;
    let deadBefore = (this.#options.isAlone ?? false) ? new Date(MAX_TIME_MS) : undefined;
    while (!this.#stop.signal.aborted) {
      try {
        if (performance.now() >= nextTidy) {
          await this.#options.queue.reclaim(deadBefore ?? new Date());
          // Later leases belong to this process.
          deadBefore = undefined;
          nextTidy = performance.now() + this.#leaseMs / RECLAIMS_PER_LEASE;
        }
        const claimed = await this.#claim();
        await this.#beginWithinQuotas(claimed);
        if (claimed.length === 0) await this.#endRound();
        else if (this.#running.size >= this.#options.concurrency) await Promise.race(this.#running);
      } catch (error) {
        // Accepted items stay in the database.
        this.#warn('processing batches')(error);
        await this.#sleep();
      }
    }
  }

  async #claim(): Promise<ClaimedItem[]> {
    const { queue, owner, concurrency, quota } = this.#options;
    const free = (this.#isClaimingOne ? 1 : concurrency) - this.#running.size;
    if (free <= 0) return [];
    return queue.claim({ owner, until: this.#leaseEnd() }, free, quota && (({ key }) => quota.isUsedUp(key)));
  }

  /**
   * Starts items within their quotas and releases the others, also if the counter fails. An item during which a process
   * ended runs alone: if that process ends too, the item is at fault, and not one that ran beside it.
   */
  async #beginWithinQuotas(claimed: readonly ClaimedItem[]): Promise<void> {
    const { queue, owner, quota } = this.#options;
    if (claimed.length > 0) this.#isClaimingOne = claimed.some(isSuspect);
    const mayRunSuspect = claimed.length === 1 && this.#running.size === 0;
    const waiting = new Set(claimed);
    try {
      for (const item of claimed) {
        if (isSuspect(item) && !mayRunSuspect) continue;
        if (quota !== undefined && !(await quota.take(item.options.key))) continue;
        waiting.delete(item);
        this.#track(this.#finish(item));
      }
    } finally {
      for (const item of waiting) this.#track(this.#retry(() => queue.release(item, owner)));
    }
  }

  async #endRound(): Promise<void> {
    if (this.#running.size >= this.#options.concurrency) {
      await Promise.race(this.#running);
      return;
    }
    await this.#options.batches.completeFinished(new Date());
    await this.#sleep();
  }

  async #completeWhileBusy(): Promise<void> {
    const { batches, idleMs = IDLE_MS } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await sleep(idleMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#running.size > 0) await batches.completeFinished(new Date()).catch(this.#warn('completing batches'));
    }
  }

  #track(work: Promise<void>): void {
    const task = work.catch(this.#warn('storing the result of a batch item')).finally(() => {
      this.#running.delete(task);
      if (this.#running.size === 0) this.#sleeper.wake();
    });
    this.#running.add(task);
  }

  async #finish(item: ClaimedItem): Promise<void> {
    let result: ItemResult;
    try {
      if (item.attempt > MAX_TRIES)
        throw new AppError('unsupported_content', `the service ended ${MAX_TRIES} times while it processed this item`);
      result = await this.#try(item);
    } catch (error) {
      const failure = toAppError(error);
      if (failure.code === 'overloaded') return this.#giveBack(item);
      if (failure.code === 'internal') this.#warn('a batch item')(error);
      result = this.#options.describeFailure(item, failure);
    }
    if (await this.#store(item, result)) {
      this.#done += 1;
      this.#options.onFinished?.(item, result);
    }
    const delayMs = item.options.crawl?.delayMs ?? 0;
    if (delayMs > 0) setTimeout(() => this.wake(), delayMs).unref();
  }

  async #try(item: ClaimedItem): Promise<ItemResult> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#options.runItem(item, this.#stop.signal);
      } catch (error) {
        const isForeseen = error instanceof AppError && error.code !== 'internal';
        if (isForeseen || tries >= MAX_TRIES) throw error;
        await this.#sleep();
      }
    }
  }

  async #giveBack(item: ClaimedItem): Promise<void> {
    const { queue, owner } = this.#options;
    await this.#retry(() => queue.release(item, owner));
    await this.#sleep();
  }

  #store(item: ClaimedItem, result: ItemResult): Promise<boolean> {
    const { queue, owner } = this.#options;
    return this.#retry(() => queue.finish(item, owner, result));
  }

  /** Retries for the duration of a lease. */
  async #retry<T>(write: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#leaseMs;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (performance.now() >= until || this.#stop.signal.aborted) throw error;
        await this.#sleep();
      }
    }
  }

  #sleep(): Promise<void> {
    return this.#sleeper.sleep(this.#options.idleMs ?? IDLE_MS);
  }

  #leaseEnd(): Date {
    return new Date(Date.now() + this.#leaseMs);
  }

  #warn(what: string): (error: unknown) => void {
    return (error) => {
      // Expected errors need no stack trace.
      const isTemporary = error instanceof AppError && error.code === 'overloaded';
      this.#options.logger.warn(isTemporary ? { reason: error.message } : { err: error }, `${what} failed`);
    };
  }
}

/** Tests for an item during which a process ended; whether because of it is not known. */
function isSuspect({ attempt }: ClaimedItem): boolean {
  return attempt > 1 && attempt <= MAX_TRIES;
}

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
