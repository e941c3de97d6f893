import type { ErrorCode, Stage } from '@winnow/contract';
import { ERRORS } from '@winnow/contract';

export interface AppErrorOptions {
  /** Stage in which the error arose; the usual stage of the code when left out. */
  readonly stage?: Stage;
  /** Status that the target site answered with; only for `http_status_not_ok`. */
  readonly upstreamStatusCode?: number;
  /** Seconds after which the caller may try again; for `rate_limited` and `overloaded`. */
  readonly retryAfterSeconds?: number;
  /** What the trace and the log may show beyond the message. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error that crosses the rooms of the service: a code of the contract's error table and the
 * stage. Adapters translate foreign errors into it once; only `http/` turns it into a status.
 * The message is shown to the caller, so it names the cause and gives nothing secret away.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly stage: Stage;
  readonly upstreamStatusCode: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.stage = options.stage ?? ERRORS[code].stages[0];
    this.upstreamStatusCode = options.upstreamStatusCode;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }
}
