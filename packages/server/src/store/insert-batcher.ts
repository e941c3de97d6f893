import { setImmediate, setTimeout } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes that may be under way at the same time where somebody waits for them: each waits for the disk. */
const MAX_WRITES = 4;

/**
 * Group commit: what arrives within one turn of the event loop, or within the time that is given, is written by one call.
 * Each caller hears of its own item only after it is durable.
 */
export class InsertBatcher<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  readonly #maxBatch: number;
  readonly #gatherMs: number;
  readonly #maxWrites: number;
  #waiting: Waiting<T>[] = [];
  #isGathering = false;
  readonly #writes = new Set<Promise<void>>();

  /**
   * @param gatherMs milliseconds for which a batch is gathered, for items that nobody is in a hurry for; they are written
   * one batch after the other
   */
  constructor(write: (items: readonly T[]) => Promise<void>, maxBatch: number, gatherMs = 0) {
    this.#write = write;
    this.#maxBatch = maxBatch;
    this.#gatherMs = gatherMs;
    this.#maxWrites = gatherMs === 0 ? MAX_WRITES : 1;
  }

  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#startWrite();
    });
  }

  /** Settles when nothing is left to write; failures have gone to those who added the items. */
  async drain(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  #startWrite(): void {
    if (this.#waiting.length === 0 || this.#isGathering || this.#writes.size >= this.#maxWrites) return;
    this.#isGathering = true;
    const write = this.#gatherAndWrite().finally(() => {
      this.#writes.delete(write);
      this.#startWrite();
    });
    this.#writes.add(write);
  }

  async #gatherAndWrite(): Promise<void> {
    await (this.#gatherMs === 0 ? setImmediate() : setTimeout(this.#gatherMs));
    const batch = this.#waiting.splice(0, this.#maxBatch);
    this.#isGathering = false;
    this.#startWrite();
    await this.#writeBatch(batch);
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
