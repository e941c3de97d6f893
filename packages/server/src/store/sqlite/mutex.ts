/** Mutex for the single connection of a database; first come, first served. */
export class Mutex {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  /** Acquires the mutex; release it with {@link release}. */
  async acquire(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy = true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}
