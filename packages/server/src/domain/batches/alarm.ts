/** A sleep that can be cut short. */
export class Alarm {
  readonly #stop: AbortSignal;
  readonly #resting = new Set<() => void>();

  /** @param stop ends all current and later sleeps */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', () => this.ring(), { once: true });
  }

  /** Sleeps for the given milliseconds, or until woken. */
  async rest(ms: number): Promise<void> {
    if (this.#stop.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#resting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#resting.delete(resolve);
  }

  /** Ends all sleeps. */
  ring(): void {
    for (const wake of this.#resting) wake();
  }
}
