export class WakeableSleep {
  readonly #stop: AbortSignal;
  readonly #resting = new Set<() => void>();

  /** @param stop ends all sleeps */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', () => this.wake(), { once: true });
  }

  async sleep(ms: number): Promise<void> {
    if (this.#stop.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#resting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#resting.delete(resolve);
  }

  wake(): void {
    for (const wake of this.#resting) wake();
  }
}
