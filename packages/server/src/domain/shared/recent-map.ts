/** A map with a maximum size and age, by monotonic clock. */
export class RecentMap<Key, Value extends string | number | boolean | object> {
  readonly #maxEntries: number;
  readonly #maxAgeMs: number;
  readonly #entries = new Map<Key, { readonly value: Value; readonly until: number }>();

  /** @param maxAgeMs default: unlimited */
  constructor(maxEntries: number, maxAgeMs: number = Infinity) {
    this.#maxEntries = maxEntries;
    this.#maxAgeMs = maxAgeMs;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || performance.now() < entry.until) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: performance.now() + this.#maxAgeMs });
    const oldest = this.#entries.size > this.#maxEntries ? this.#entries.keys().next() : undefined;
    if (oldest?.done === false) this.#entries.delete(oldest.value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
