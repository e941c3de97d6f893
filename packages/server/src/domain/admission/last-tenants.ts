interface Seen {
  readonly key: string;
  readonly at: number;
}

/** Tells when tenants other than a given one were last active. Two entries are enough. */
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
