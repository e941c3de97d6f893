import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import type { Logger } from '../shared/ports.ts';
import { shuttingDown } from '../shared/shutting-down.ts';
import { Alarm } from './alarm.ts';
import type { BatchRepository, ClaimedItem, ItemResult } from './batch-ports.ts';
import type { ItemQuota } from './item-quota.ts';

export interface BatchRunnerOptions {
  readonly batches: BatchRepository;
  /** Does one item. What is wrong with it is in the result; it rejects when the service itself is full or failing. */
  readonly runItem: (item: ClaimedItem, signal: AbortSignal) => Promise<ItemResult>;
  /** What a given-up item leaves in the results. */
  readonly describeFailure: (item: ClaimedItem, error: AppError) => ItemResult;
  /** Name of this process, unlike all others. */
  readonly owner: string;
  /** Items under way at the same time: the share of this process that batches may take from interactive work. */
  readonly concurrency: number;
  readonly logger: Logger;
  /** Items over the quota of their batch's key wait. Default: no quotas. */
  readonly quota?: ItemQuota;
  /** No other process works on these batches: what is leased when this one starts was held by one that died. Default false. */
  readonly isAlone?: boolean;
  /** Milliseconds after which the items of a process that gave no sign of life go to others. Default 30,000. */
  readonly leaseMs?: number;
  /** Milliseconds between looks for work while there is none, and for what is finished. Default 1000. */
  readonly idleMs?: number;
}

const LEASE_MS = 30_000;
const IDLE_MS = 1000;

/** Signs of life within one lease: two may be lost. */
const RENEWALS_PER_LEASE = 3;

/** The last time that a Date can hold. */
const MAX_TIME_MS = 8.64e15;

/** Tries of an item whose process died on it; a page that takes its process along must not do so for ever. */
const MAX_ATTEMPTS = 5;

/** Tries of an item that failed for a reason of ours, such as a database that went away in the middle. */
const INTERNAL_ATTEMPTS = 3;

/**
 * Works on batches: claims items, a few at a time, and renews its leases on them while it lives. Every
 * process of a deployment runs one; the store hands no item to two of them, and takes a result only from
 * the one that holds the lease.
 */
export class BatchRunner {
  readonly #options: BatchRunnerOptions;
  readonly #stop = new AbortController();
  readonly #alarm = new Alarm(this.#stop.signal);
  readonly #running = new Set<Promise<void>>();
  readonly #leaseMs: number;
  #renewing: NodeJS.Timeout | undefined;
  #loop: Promise<void> | undefined;
  #clock: Promise<void> | undefined;
  #done = 0;

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
  }

  /** Items that this process has finished. */
  get done(): number {
    return this.#done;
  }

  start(): void {
    const { batches, owner, concurrency } = this.#options;
    if (concurrency === 0 || this.#loop !== undefined) return;
    this.#renewing = setInterval(() => {
      if (this.#running.size > 0)
        batches.renew({ owner, until: this.#leaseEnd() }).catch(this.#warn('renewing leases'));
    }, this.#leaseMs / RENEWALS_PER_LEASE);
    this.#loop = this.#work();
    this.#clock = this.#completeWhileBusy();
  }

  /** Looks for work at once: a batch has come in. */
  wake(): void {
    this.#alarm.ring();
  }

  /** Claims nothing more and ends what is under way; it goes back into the queue. */
  async close(): Promise<void> {
    this.#stop.abort(shuttingDown());
    await Promise.all([this.#loop, this.#clock]);
    await Promise.all(this.#running);
    clearInterval(this.#renewing);
  }

  async #work(): Promise<void> {
    let nextTidy = 0;
    let deadBefore = (this.#options.isAlone ?? false) ? new Date(MAX_TIME_MS) : undefined;
    while (!this.#stop.signal.aborted) {
      try {
        if (performance.now() >= nextTidy) {
          await this.#options.batches.reclaim(deadBefore ?? new Date());
          // Once: what is leased from now on is this process's own.
          deadBefore = undefined;
          nextTidy = performance.now() + this.#leaseMs / RENEWALS_PER_LEASE;
        }
        const claimed = await this.#claim();
        await this.#beginWithinQuotas(claimed);
        if (claimed.length === 0) await this.#endRound();
        else if (this.#running.size >= this.#options.concurrency) await Promise.race(this.#running);
      } catch (error) {
        // The database is away: what was acknowledged waits in it.
        this.#warn('working on batches')(error);
        await this.#rest();
      }
    }
  }

  async #claim(): Promise<ClaimedItem[]> {
    const { batches, owner, concurrency, quota } = this.#options;
    const free = concurrency - this.#running.size;
    if (free <= 0) return [];
    return batches.claim({ owner, until: this.#leaseEnd() }, free, quota && (({ key }) => quota.isUsedUp(key)));
  }

  /** Begins the items that the quotas of their keys allow, and puts the others back, also when a quota cannot be read. */
  async #beginWithinQuotas(claimed: readonly ClaimedItem[]): Promise<void> {
    const { batches, owner, quota } = this.#options;
    const waiting = new Set(claimed);
    try {
      for (const item of claimed) {
        if (quota !== undefined && !(await quota.take(item.options.key))) continue;
        waiting.delete(item);
        this.#track(this.#finish(item));
      }
    } finally {
      for (const item of waiting) this.#track(this.#insist(() => batches.release(item, owner, { countsAsTry: false })));
    }
  }

  /** Nothing waits: either something is finished now, or there is no work. */
  async #endRound(): Promise<void> {
    if (this.#running.size >= this.#options.concurrency) {
      await Promise.race(this.#running);
      return;
    }
    await this.#options.batches.completeFinished(new Date());
    await this.#rest();
  }

  /** No round ends while work waits or all places are taken: a finished batch is not to wait for the others. */
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
    const task = work.catch(this.#warn('finishing an item of a batch')).finally(() => {
      this.#running.delete(task);
      if (this.#running.size === 0) this.#alarm.ring();
    });
    this.#running.add(task);
  }

  async #finish(item: ClaimedItem): Promise<void> {
    const { runItem, describeFailure } = this.#options;
    let result: ItemResult;
    try {
      if (item.attempt > MAX_ATTEMPTS)
        throw new AppError('internal', 'worker process crashed on this page', { retryable: false });
      result = await runItem(item, this.#stop.signal);
    } catch (error) {
      const failure = error instanceof AppError ? error : new AppError('internal', 'an unexpected error occurred');
      if (failure.code === 'overloaded') return this.#giveBack(item, false);
      if (failure.code === 'internal' && item.attempt < INTERNAL_ATTEMPTS) return this.#giveBack(item, true);
      if (failure.code === 'internal') this.#warn('an item of a batch')(error);
      result = describeFailure(item, failure);
    }
    if (await this.#store(item, result)) this.#done += 1;
  }

  async #giveBack(item: ClaimedItem, countsAsTry: boolean): Promise<void> {
    const { batches, owner } = this.#options;
    await this.#insist(() => batches.release(item, owner, { countsAsTry }));
    await this.#rest();
  }

  #store(item: ClaimedItem, result: ItemResult): Promise<boolean> {
    const { batches, owner } = this.#options;
    return this.#insist(() => batches.finish(item, owner, result));
  }

  /** While the database is away what is to be written is kept and tried again, for as long as the lease can last. */
  async #insist<T>(write: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#leaseMs;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (performance.now() >= until || this.#stop.signal.aborted) throw error;
        await this.#rest();
      }
    }
  }

  #rest(): Promise<void> {
    return this.#alarm.rest(this.#options.idleMs ?? IDLE_MS);
  }

  #leaseEnd(): Date {
    return new Date(Date.now() + this.#leaseMs);
  }

  #warn(what: string): (error: unknown) => void {
    return (error) => {
      // A database that is full or away is no fault of the program: no stack helps with it.
      const isPassing = error instanceof AppError && error.code === 'overloaded';
      this.#options.logger.warn(isPassing ? { reason: error.message } : { err: error }, `${what} failed`);
    };
  }
}
