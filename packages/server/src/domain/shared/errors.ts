import { ERRORS, isRetryable } from '@winnow/contract/errors';
import type { ErrorCode, Stage, StageDetails } from '@winnow/contract';

/** Details of the error in the step of the failed stage. */
type ErrorDetails = Readonly<
  Pick<StageDetails['request'], 'used_bytes' | 'quota_bytes'> &
    Pick<StageDetails['auth'], 'key_id' | 'reason'> &
    Pick<StageDetails['fetch'], 'status_code' | 'redirects'> &
    Pick<StageDetails['match'], 'template_id'>
>;

export interface AppErrorOptions {
  /** Default: the code's usual stage. */
  readonly stage?: Stage | undefined;
  /** Of the target. */
  readonly upstreamStatusCode?: number | undefined;
  /** Default: the error table's value. */
  readonly retryable?: boolean | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Details for trace and log. */
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
}

/**
 * The error of all modules; `http/` maps its code to a status. Callers see the message, so it must contain no secrets.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly stage: Stage;
  readonly upstreamStatusCode: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly details: ErrorDetails | undefined;

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

/** Ends the work of a caller who hung up, and is not a failure of the service. */
export class HangUpError extends AppError {
  constructor() {
    super('internal', 'the caller closed the connection');
  }
}

/** A replacement is likely to run by then. */
const RETRY_AFTER_S = 5;

export function shuttingDown(): AppError {
  return new AppError('overloaded', 'the service is shutting down', { retryAfterSeconds: RETRY_AFTER_S });
}

/** Returns an error as it is, or as one that nobody foresaw. */
export function toAppError(error: unknown, stage?: Stage): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', 'an unexpected error occurred', { stage, cause: error });
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
