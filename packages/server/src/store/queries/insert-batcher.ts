import { setImmediate, setTimeout } from 'node:timers/promises';
import { AppError } from '../../domain/shared/errors.ts';

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Concurrent writes of urgent items; each waits for the disk. */
const MAX_WRITES = 4;

/**
 * Group commit: one call writes all items that arrive within one tick or within the gathering time. Each caller's
 * promise settles once its item is durable.
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
   * @param gatherMs gathering time for items that are not urgent, in milliseconds; their batches are written one after
   *   another
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

  /** Settles when no write is pending; callers of `add` receive the failures. */
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

  /** Retries each item alone after a failed statement, unless the database is full or unreachable. */
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
