import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between the starts of two waits for the disk. */
const GAP_MS = 8;

/** The same where somebody waits for whom the last one was not. */
const SHORT_GAP_MS = 2;

/**
 * When to wait for the disk: what comes alone goes in the same turn of the event loop; under load what comes within
 * some milliseconds goes together. A lane (a key) that the last wait was not for does not wait for those that come all
 * the time.
 */
export class CommitPace {
  #lastAt = -Infinity;
  /** Whom the last wait for the disk was for, and whom the next one will be for. */
  #lastLanes: ReadonlySet<string> = new Set();
  #lanes = new Set<string>();
  #isUrgent = false;
  /** Ends the pause that is under way. */
  #pause: AbortController | undefined;

  /** Takes note of whom the next turn will be for, before or during it. */
  expect(lane: string): void {
    this.#lanes.add(lane);
    if (this.#isUrgent || this.#lastLanes.has(lane)) return;
    this.#isUrgent = true;
    this.#pause?.abort();
  }

  /** Resolves when it is time. */
  async turn(): Promise<void> {
    if (this.#restMs() <= 0) await nextTurn();
    for (let restMs = this.#restMs(); restMs > 0; restMs = this.#restMs()) {
      this.#pause = new AbortController();
      await sleep(restMs, undefined, { signal: this.#pause.signal }).catch(() => undefined);
    }
    this.#pause = undefined;
    this.#lastLanes = this.#lanes;
    this.#lanes = new Set();
    this.#isUrgent = false;
    this.#lastAt = performance.now();
  }

  /** Milliseconds until it is time. */
  #restMs(): number {
    return this.#lastAt + (this.#isUrgent ? SHORT_GAP_MS : GAP_MS) - performance.now();
  }
}
