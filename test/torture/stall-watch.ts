/** Seconds of one time at which this process did not run, counted from its start. */
export interface Stall {
  readonly second: number;
  readonly seconds: number;
}

const BEAT_MS = 200;

/**
 * Notes when this process stood still: with the whole machine, as a virtual one does while it is moved or saved. Nobody
 * can keep a deadline then, and the monotonic clock goes on.
 */
export class StallWatch {
  readonly #leastMs: number;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #stalls: { readonly from: number; readonly to: number }[] = [];
  #lastBeat = performance.now();

  /** @param leastMs shorter ones are not noted: what this process and its neighbours do takes its time too */
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

  /** @param from as `performance.now()` gave it */
  hasStalledSince(from: number): boolean {
    // What is asked about may be handled before the timer that is due.
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
