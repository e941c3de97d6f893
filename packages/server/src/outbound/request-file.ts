import type { Readable } from 'node:stream';
import { request as sendRequest } from 'undici';
import type { AppError } from '../domain/shared/errors.ts';
import type { EgressGuard } from '../egress/egress.ts';
import { findUrlFault } from '../egress/policy/check-url.ts';

interface FileRequest {
  readonly guard: EgressGuard;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Makes the error for a target that the egress policy refuses. */
  readonly refuse: (fault: string, url: URL, isRedirected: boolean) => AppError;
}

interface RequestedFile {
  readonly url: URL;
  readonly statusCode: number;
  /** Lower-case `Content-Encoding`. */
  readonly coding: string;
  /** Already dropped unless the status is 2xx. */
  readonly body: Readable;
}

/** RFC 9309, 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** Of an unused response. */
const MAX_DROPPED_BYTES = 64 * 1024;

/** Requests a file through the egress guard. Returns a redirect that leads nowhere as it is. */
export async function requestFile(url: URL, order: FileRequest, redirects = MAX_REDIRECTS): Promise<RequestedFile> {
  const { guard, headers: sent, signal } = order;
  const fault = findUrlFault(url, guard.policy);
  if (fault !== undefined) throw order.refuse(fault, url, redirects < MAX_REDIRECTS);
  const { statusCode, headers, body } = await sendRequest(url, { dispatcher: guard.dispatcher, headers: sent, signal });
  body.on('error', () => undefined);
  const coding = [headers['content-encoding'] ?? []].flat().join(',').trim().toLowerCase();
  if (statusCode >= 200 && statusCode < 300) return { url, statusCode, coding, body };
  await body.dump({ limit: MAX_DROPPED_BYTES }).catch(() => undefined);
  const location = statusCode >= 300 && statusCode < 400 ? [headers.location ?? []].flat()[0] : undefined;
  const target = location === undefined ? null : URL.parse(location, url.href);
  return target === null || redirects === 0
    ? { url, statusCode, coding, body }
    : requestFile(target, order, redirects - 1);
}
