interface TimeLimit {
  readonly signal: AbortSignal;
  /** The time limit aborted it. */
  readonly isLate: boolean;
  readonly release: () => void;
}

/**
 * Replaces `AbortSignal.any` and `AbortSignal.timeout`, which cost more and leave running timers.
 * @param timeoutMs may be infinite
 */
export function limitTime(
  signals: readonly (AbortSignal | AbortBroadcaster)[],
  timeoutMs: number,
  late: () => Error,
): TimeLimit {
  const [only] = signals;
  if (only instanceof AbortSignal && signals.length === 1 && !Number.isFinite(timeoutMs))
    return { signal: only, isLate: false, release: () => undefined };
  return new Limit(signals, timeoutMs, late);
}

/** A class: V8 creates a hidden class for each object literal with a getter. */
class Limit implements TimeLimit {
  isLate = false;
  readonly #controller = new AbortController();
  readonly #follow: readonly { readonly outer: AbortSignal | AbortBroadcaster; readonly onAbort: () => void }[];
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(signals: readonly (AbortSignal | AbortBroadcaster)[], timeoutMs: number, late: () => Error) {
    this.#follow = signals.map((outer) => {
      const onAbort = (): void => this.#controller.abort(outer.reason);
      if (outer.aborted) onAbort();
      else outer.addEventListener('abort', onAbort, { once: true });
      return { outer, onAbort };
    });
    const onTime = (): void => {
      this.isLate = !this.signal.aborted;
      this.#controller.abort(late());
    };
    if (Number.isFinite(timeoutMs)) this.#timer = setTimeout(onTime, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly release = (): void => {
    clearTimeout(this.#timer);
    for (const { outer, onAbort } of this.#follow) outer.removeEventListener('abort', onAbort);
  };
}

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
