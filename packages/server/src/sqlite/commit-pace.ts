import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between the starts of two waits for the disk. */
const GAP_MS = 8;

/**
 * When to wait for the disk: what comes alone goes in the same turn of the event loop; under load what comes within
 * some milliseconds goes together.
 */
export class CommitPace {
  #lastAt = -Infinity;

  /** Resolves when it is time. */
  async turn(): Promise<void> {
    const waitMs = this.#lastAt + GAP_MS - performance.now();
    await (waitMs > 0 ? sleep(waitMs) : nextTurn());
    this.#lastAt = performance.now();
  }
}
