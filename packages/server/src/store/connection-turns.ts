/** Who wants the one connection of a database gets it in turn, first come, first served. */
export class ConnectionTurns {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn, which must be ended by {@link leave}. */
  async enter(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy = true;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}
