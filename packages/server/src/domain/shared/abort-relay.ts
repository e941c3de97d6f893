/**
 * Passes the abort of a signal that lives as long as the process on to many short pieces of work.
 *
 * Garbage that has grown old keeps what it points at through V8's young collections. A listener that was taken off an
 * EventTarget goes on pointing at the one behind it, and the table that a Map or Set gave up for a larger or cleaner one at
 * that one; an array's store points at nothing but its elements. With one listener a request on the signal itself, or in a
 * Set, every request would live on, with its page, until the next full collection.
 */
export class AbortRelay {
  readonly signal: AbortSignal;
  readonly #listeners: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    this.signal = signal;
    const tell = (): void => {
      for (const listener of this.#listeners.splice(0)) listener();
    };
    signal.addEventListener('abort', tell, { once: true });
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  /** The part of an AbortSignal that work needs: a signal can be passed as well. */
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
