import { ERRORS, isRetryable } from '@winnow/contract';
import type { ErrorCode, Stage } from '@winnow/contract';

export interface AppErrorOptions {
  /** Stage in which the error arose; the usual stage of the code when left out. */
  readonly stage?: Stage;
  /** Status that the target site answered with, where it is not accepted. */
  readonly upstreamStatusCode?: number;
  /** Whether the same request can succeed later; what the error table says of the code when left out. */
  readonly retryable?: boolean;
  /** Seconds after which the caller may try again, where that is known. */
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
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.stage = options.stage ?? ERRORS[code].stages[0];
    this.upstreamStatusCode = options.upstreamStatusCode;
    this.retryable = options.retryable ?? isRetryable(code, options.upstreamStatusCode);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }
}
