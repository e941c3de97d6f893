import { CaptureError } from '../domain/capture-error.ts';
import { AppError } from '../domain/errors.ts';
import type { Capture, EngineAttempt } from '../domain/ports.ts';
import type { EngineName } from '@winnow/contract';
import { classifyBlock } from './classify-block.ts';
import { isMislabelled } from './content-type.ts';

/**
 * Refuses a capture that is not the page that was asked for, with the capture kept in the error.
 * @throws {AppError} `unsupported_content`; {@link CaptureError} `fetch_blocked`, `http_status_not_ok`
 */
export function requirePage(capture: Capture, headers: Readonly<Record<string, string>>): Capture {
  const blocked = classifyBlock({ statusCode: capture.statusCode, headers, html: capture.html });
  if (blocked !== undefined) {
    const message = `the target answered with a block page: ${blocked}`;
    throw new CaptureError('fetch_blocked', message, { capture, details: { statusCode: capture.statusCode } });
  }
  if (!isAccepted(capture.statusCode)) throw statusError(capture.statusCode, capture);
  if (isMislabelled(capture.html))
    throw new AppError('unsupported_content', 'the target is a file of another kind that is declared to be HTML');
  return capture;
}

export function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

export function statusError(statusCode: number, capture?: Capture): CaptureError {
  return new CaptureError('http_status_not_ok', `the target answered with status ${statusCode}`, {
    upstreamStatusCode: statusCode,
    ...(capture ? { capture } : {}),
  });
}

/** The error for content that is no HTML or XHTML document; the status of a refusal says more than its type. */
export function notADocument(statusCode: number, mediaType: string | null): AppError {
  if (!isAccepted(statusCode)) return statusError(statusCode);
  const what = mediaType === null ? 'undeclared content that does not look like HTML' : `content of type ${mediaType}`;
  return new AppError('unsupported_content', `the target is ${what}, not an HTML or XHTML document`);
}

/** The record of a try that failed. */
export function failedAttempt(engine: EngineName, error: AppError, elapsedMs: number): EngineAttempt {
  return { engine, outcome: 'failed', reason: error.message, errorCode: error.code, elapsedMs };
}
