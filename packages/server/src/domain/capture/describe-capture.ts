import { publicEngineName, type DumpResponse, type EngineAttemptBody, type StageDetails } from '@winnow/contract';
import type { Capture, EngineAttempt, Redirect } from './capture-ports.ts';

export function describeRedirects(redirects: readonly Redirect[]): NonNullable<StageDetails['fetch']['redirects']> {
  return redirects.map(({ url, statusCode }) => ({ url, status_code: statusCode }));
}

/** @param engineFamily gives the engines their public names; default: their own names */
export function describeAttempts(attempts: readonly EngineAttempt[], engineFamily?: string): EngineAttemptBody[] {
  return attempts.map(({ engine, outcome, reason, errorCode, elapsedMs }) => ({
    engine: engineFamily === undefined ? engine : publicEngineName(engine, engineFamily),
    outcome,
    reason,
    error_code: errorCode,
    elapsed_ms: elapsedMs,
  }));
}

type CaptureFacts = Omit<DumpResponse['debug'], 'html_bytes' | 'stored_bytes' | 'filtered' | 'cached'>;

export function describeCapture(capture: Capture, engineFamily?: string): CaptureFacts {
  return {
    engine_attempts: describeAttempts(capture.attempts, engineFamily),
    redirects: describeRedirects(capture.redirects),
    content_type: capture.contentType,
    charset: capture.charset,
    protocol: capture.protocol,
    transfer_bytes: capture.transferBytes,
    body_bytes: capture.bodyBytes,
    timings: { ...capture.timings },
    blocked_requests: [...capture.blockedRequests],
    partial: capture.partial,
  };
}
