import type { AbortBroadcaster } from './abort-broadcaster.ts';

export interface TimeLimit {
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
  if (only instanceof AbortSignal && signals.length === 1 && !Number.isFinite(timeoutMs)) return unlimited(only);
  return new Limit(signals, timeoutMs, late);
}

function unlimited(signal: AbortSignal): TimeLimit {
  return { signal, isLate: false, release: () => undefined };
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
