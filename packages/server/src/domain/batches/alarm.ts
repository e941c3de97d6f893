/** Rests that can be cut short: for a worker that looks for work now and then, and at once when it is told of some. */
export class Alarm {
  readonly #stop: AbortSignal;
  readonly #resting = new Set<() => void>();

  /** @param stop ends every rest, those to come included */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', () => this.ring(), { once: true });
  }

  /** Resolves after so many milliseconds, or when the alarm rings. */
  async rest(ms: number): Promise<void> {
    if (this.#stop.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#resting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#resting.delete(resolve);
  }

  /** Ends all rests. */
  ring(): void {
    for (const wake of this.#resting) wake();
  }
}
