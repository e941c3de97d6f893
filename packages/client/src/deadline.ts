import { WinnowTimeoutError } from './errors.ts';

/** The end of a call: its time limit, or the caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  remainingMs(): number;
  release(): void;
}

/** The longest time that a timer can be set to, in milliseconds: 24 days. A longer one would go off at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts one signal for the caller's own and the time limit; its reason tells which it was. */
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
