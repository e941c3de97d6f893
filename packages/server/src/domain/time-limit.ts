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
 * @param timeoutMs milliseconds, or infinite for no limit
 * @param late the reason of the abort when the time is over
 */
export function limitTime(signals: readonly AbortSignal[], timeoutMs: number, late: () => Error): TimeLimit {
  const [only] = signals;
  if (only !== undefined && signals.length === 1 && !Number.isFinite(timeoutMs)) return unlimited(only);
  const controller = new AbortController();
  let isLate = false;
  const follow = signals.map((outer) => {
    const onAbort = (): void => controller.abort(outer.reason);
    if (outer.aborted) onAbort();
    else outer.addEventListener('abort', onAbort, { once: true });
    return { outer, onAbort };
  });
  const onTime = (): void => {
    isLate = !controller.signal.aborted;
    controller.abort(late());
  };
  const timer = Number.isFinite(timeoutMs) ? setTimeout(onTime, timeoutMs) : undefined;
  return {
    signal: controller.signal,
    get isLate() {
      return isLate;
    },
    release: () => {
      clearTimeout(timer);
      for (const { outer, onAbort } of follow) outer.removeEventListener('abort', onAbort);
    },
  };
}

function unlimited(signal: AbortSignal): TimeLimit {
  return { signal, isLate: false, release: () => undefined };
}
