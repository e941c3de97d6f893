import { setImmediate, setTimeout } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives within one turn of the event loop, or while a write is under way, is written
 * by one call, so that the disk is waited for once and not once an item. Each caller hears of its own
 * item only after it is durable.
 */
export class InsertBatcher<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  readonly #maxBatch: number;
  readonly #gatherMs: number;
  #waiting: Waiting<T>[] = [];
  #running: Promise<void> | undefined;

  /** @param gatherMs milliseconds for which a batch is gathered, for items that nobody is in a hurry for */
  constructor(write: (items: readonly T[]) => Promise<void>, maxBatch: number, gatherMs = 0) {
    this.#write = write;
    this.#maxBatch = maxBatch;
    this.#gatherMs = gatherMs;
  }

  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Settles when nothing is left to write; failures have gone to those who added the items. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#writeBatch(this.#waiting.splice(0, this.#maxBatch));
    }
    this.#running = undefined;
  }

  #gather(): Promise<void> {
    return this.#gatherMs === 0 ? setImmediate() : setTimeout(this.#gatherMs);
  }

  /** One bad item fails the whole statement, so then each is written by itself; a database that is full or away has none. */
  async #writeBatch(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#write(batch.map((waiting) => waiting.item));
      for (const waiting of batch) waiting.resolve();
    } catch (error) {
      const isOfOneItem = batch.length > 1 && !(error instanceof AppError && error.code === 'overloaded');
      if (isOfOneItem) for (const waiting of batch) await this.#writeBatch([waiting]);
      else for (const waiting of batch) waiting.reject(error);
    }
  }
}
