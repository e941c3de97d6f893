interface Seen {
  readonly key: string;
  readonly at: number;
}

/** When a tenant other than a given one was last active. Two entries are enough. */
export class LastTenants {
  #last: Seen | undefined;
  #lastBefore: Seen | undefined;

  /** @param at monotonic, in milliseconds */
  note(key: string, at: number): void {
    if (this.#last?.key !== key) this.#lastBefore = this.#last;
    this.#last = { key, at };
  }

  /** Undefined: never. */
  lastOtherThan(key: string): number | undefined {
    return (this.#last?.key === key ? this.#lastBefore : this.#last)?.at;
  }
}
