/**
 * Forwards the abort of a process-wide signal to short tasks.
 *
 * Listeners on an EventTarget or in a Set would keep each request alive until the next full garbage collection.
 */
export class AbortBroadcaster {
  readonly signal: AbortSignal;
  readonly #listeners: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    this.signal = signal;
    const broadcast = (): void => {
      for (const listener of this.#listeners.splice(0)) listener();
    };
    signal.addEventListener('abort', broadcast, { once: true });
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  /** The used part of AbortSignal. */
  addEventListener(_type: 'abort', listener: () => void, _options?: { readonly once: true }): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener);
    if (index === -1) return;
    const last = this.#listeners.pop();
    if (last !== undefined && index < this.#listeners.length) this.#listeners[index] = last;
  }
}
