export class WakeableSleep {
  readonly #stop: AbortSignal;
  readonly #sleepers = new Set<() => void>();

  /** @param stop ends all sleeps */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', () => this.wake(), { once: true });
  }

  async sleep(ms: number): Promise<void> {
    if (this.#stop.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#sleepers.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#sleepers.delete(resolve);
  }

  wake(): void {
    for (const wake of this.#sleepers) wake();
  }
}
