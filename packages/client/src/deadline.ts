import { WinnowTimeoutError } from './errors.ts';

/** The end of a call: its time limit, or the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  remainingMs(): number;
  release(): void;
}

/** The longest delay of a timer, in milliseconds: 24 days. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Combines the caller's signal and the time limit; the reason tells which one aborted. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const endsAt = performance.now() + timeoutMs;
  const controller = new AbortController();
  const onOuter = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) onOuter();
  outer?.addEventListener('abort', onOuter, { once: true });
  const onTimeout = (): void => controller.abort(new WinnowTimeoutError(timeoutMs));
  const timer = timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(onTimeout, timeoutMs);
  return {
    signal: controller.signal,
    remainingMs: () => endsAt - performance.now(),
    release() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onOuter);
    },
  };
}

/** Waits; rejects with the signal's reason when it aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
