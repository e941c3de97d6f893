import type { ErrorCode, ErrorResponse, Stage, TraceStep } from './contract-types.ts';

/** The base class of all errors that the client throws. */
export class WinnowError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WinnowError';
  }
}

/** Retried statuses: the key's quota is used up, or the service is overloaded. */
export const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** An error of the service's error table. */
export class WinnowApiError extends WinnowError {
  /** HTTP status of the answer. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Stage of the request in which the error arose. */
  readonly stage: Stage;
  readonly requestId: string;
  /** Whether the same request can succeed later: false for a permanent refusal, true for a temporary fault. */
  readonly retryable: boolean;
  /** Milliseconds to wait before a retry, if known. */
  readonly retryAfterMs: number | undefined;
  /** Status of the target site, if it was not accepted. */
  readonly upstreamStatusCode: number | undefined;
  /** `Retry-After` in seconds; with 429 and 503. */
  readonly retryAfterSeconds: number | undefined;
  /** The snapshot that was taken before the failure, if there is one. */
  readonly domId: string | undefined;
  /** The workflow steps, if requested. */
  readonly trace: TraceStep[] | undefined;
  /** The whole answer. */
  readonly body: ErrorResponse;

  constructor(status: number, body: ErrorResponse, retryAfterSeconds?: number) {
    super(`${body.error.code} (stage ${body.error.stage}): ${body.error.message}`);
    this.name = 'WinnowApiError';
    this.status = status;
    this.code = body.error.code;
    this.stage = body.error.stage;
    this.requestId = body.request_id;
    this.retryable = body.error.retryable;
    const headerMs = retryAfterSeconds === undefined ? undefined : Math.ceil(retryAfterSeconds * 1000);
    this.retryAfterMs = body.error.retry_after_ms ?? headerMs;
    this.upstreamStatusCode = body.error.upstream_status_code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.domId = body.metadata?.dom_id;
    this.trace = body.trace;
    this.body = body;
  }
}

/** The call did not end within its time limit. */
export class WinnowTimeoutError extends WinnowError {
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'WinnowTimeoutError';
    this.timeoutMs = timeoutMs;
  }
}

/** The service could not be reached, or the connection broke off; `cause` has the reason. */
export class WinnowConnectionError extends WinnowError {
  constructor(url: string, cause: unknown) {
    super(`cannot reach ${url}: ${describeCause(cause)}`, { cause });
    this.name = 'WinnowConnectionError';
  }
}

/** The answer is not this service's JSON: most likely the base address is wrong. */
export class WinnowProtocolError extends WinnowError {
  readonly status: number;
  /** `Retry-After` in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(url: string, status: number, contentType: string | null, retryAfterSeconds?: number) {
    super(
      `${url} answered ${status} with ${contentType ?? 'no content type'}, not the service's JSON; is baseUrl right?`,
    );
    this.name = 'WinnowProtocolError';
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
