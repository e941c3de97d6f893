/** A period in which this process did not run: its start, since the start of the watch, and its length. */
export interface Stall {
  readonly second: number;
  readonly seconds: number;
}

const BEAT_MS = 200;

/**
 * Records when this process was stalled with the whole machine, as when a virtual machine is moved or saved.
 * Deadlines cannot be kept then, as the monotonic clock continues.
 */
export class StallWatch {
  readonly #leastMs: number;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #stalls: { readonly from: number; readonly to: number }[] = [];
  #lastBeat = performance.now();

  /** @param leastMs shorter stalls are not recorded, as normal load causes them too */
  constructor(leastMs: number) {
    this.#leastMs = leastMs;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  get stalls(): readonly Stall[] {
    return this.#stalls.map(({ from, to }) => ({
      second: Math.round((from - this.#startedAt) / 1000),
      seconds: Math.round((to - from) / 1000),
    }));
  }

  /** @param from a time of `performance.now()` */
  hasStalledSince(from: number): boolean {
    // The caller may run before the overdue timer.
    this.#beat();
    return this.#stalls.some(({ to }) => to > from);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const now = performance.now();
    if (now - this.#lastBeat >= this.#leastMs) this.#stalls.push({ from: this.#lastBeat, to: now });
    this.#lastBeat = now;
  }
}
