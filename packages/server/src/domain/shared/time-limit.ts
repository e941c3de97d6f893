import type { AbortRelay } from './abort-relay.ts';

/** One signal for a piece of work: aborted when one of several signals is, or when its time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether it was the time that ended it. */
  readonly isLate: boolean;
  /** Ends the watch, whichever way the work went; the signal is not aborted by it. */
  readonly release: () => void;
}

/**
 * What `AbortSignal.any` and `AbortSignal.timeout` give together, at a fraction of their cost: those hold weak
 * references, and each leaves a timer behind that runs on, and fires, long after the work is done.
 *
 * @param signals those that live longer than a request as relays
 * @param timeoutMs milliseconds, or infinite for no limit
 * @param late the reason of the abort when the time is over
 */
export function limitTime(
  signals: readonly (AbortSignal | AbortRelay)[],
  timeoutMs: number,
  late: () => Error,
): TimeLimit {
  const [only] = signals;
  if (only instanceof AbortSignal && signals.length === 1 && !Number.isFinite(timeoutMs)) return unlimited(only);
  return new Limit(signals, timeoutMs, late);
}

function unlimited(signal: AbortSignal): TimeLimit {
  return { signal, isLate: false, release: () => undefined };
}

/**
 * A class, for an object literal with a getter gets a hidden class of its own each time, which V8 keeps, with all
 * that the getter can reach, until the next full collection.
 */
class Limit implements TimeLimit {
  isLate = false;
  readonly #controller = new AbortController();
  readonly #follow: readonly { readonly outer: AbortSignal | AbortRelay; readonly onAbort: () => void }[];
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(signals: readonly (AbortSignal | AbortRelay)[], timeoutMs: number, late: () => Error) {
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
