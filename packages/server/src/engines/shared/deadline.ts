import { AppError } from '../../domain/shared/errors.ts';
import type { CaptureRequest } from '../../domain/capture/capture-ports.ts';
import { limitTime } from '../../domain/shared/time-limit.ts';

export interface Deadline {
  /** Also aborted by the caller. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  elapsedMs(): number;
  error(): AppError;
  /** The error for a page that has not arrived. */
  tooLate(): AppError;
  /** Rejects with {@link error} when the signal aborts. */
  race<T>(work: Promise<T>): Promise<T>;
  [Symbol.dispose](): void;
}

/** Reserved, so that callers get the response before their own deadline. */
const ANSWER_SHARE = 0.05;
const MIN_ANSWER_MS = 50;
const MAX_ANSWER_MS = 500;

export function answerReserveMs(timeoutMs: number): number {
  return Math.min(MAX_ANSWER_MS, Math.max(MIN_ANSWER_MS, timeoutMs * ANSWER_SHARE), timeoutMs / 2);
}

/** @param reserveMs subtracted from the request's time */
export function startDeadline(request: Pick<CaptureRequest, 'timeoutMs' | 'signal'>, reserveMs = 0): Deadline {
  const start = performance.now();
  const elapsedMs = (): number => performance.now() - start;
  const tooLate = (): AppError => {
    const message = `no page after ${Math.round(elapsedMs())} ms of fetching; the limit is ${request.timeoutMs} ms`;
    return new AppError('fetch_timeout', message);
  };
  const error = (): AppError => (request.signal.aborted ? cancellation(request.signal) : tooLate());
  const limitMs = request.timeoutMs - reserveMs;
  const { signal, release } = limitTime([request.signal], limitMs, error);
  return {
    signal,
    elapsedMs,
    remainingMs: () => Math.max(0, limitMs - elapsedMs()),
    error,
    tooLate,
    async race(work) {
      if (signal.aborted) {
        work.catch(() => {});
        throw error();
      }
      const aborted = Promise.withResolvers<never>();
      const onAbort = (): void => aborted.reject(error());
      signal.addEventListener('abort', onAbort, { once: true });
      return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort));
    },
    [Symbol.dispose]: release,
  };
}

function cancellation(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError
    ? signal.reason
    : new AppError('overloaded', 'the capture was cancelled', { retryAfterSeconds: 1, cause: signal.reason });
}
