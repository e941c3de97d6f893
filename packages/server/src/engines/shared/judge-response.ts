import type { EngineName } from '@winnow/contract';
import { CaptureError } from '../../domain/capture/capture-error.ts';
import { AppError, type AppErrorOptions } from '../../domain/shared/errors.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import type { Capture, EngineAttempt } from '../../domain/capture/capture-ports.ts';
import { isMislabelled, nameFile } from './content-type.ts';
import { BLOCK_RULES, type BlockRule } from './block-rules.ts';
import { countVisibleText, readTitleText } from '../../domain/shells/html-heuristics.ts';

/** @throws {AppError} `unsupported_content`; {@link CaptureError} `fetch_blocked`, `http_status_not_ok` */
export function requirePage(capture: Capture, headers: Readonly<Record<string, string>>): Capture {
  const blocked = classifyBlock({ statusCode: capture.statusCode, headers, html: capture.html });
  if (blocked !== undefined) {
    const message = `the target answered with a block page: ${blocked}`;
    throw new CaptureError('fetch_blocked', message, {
      capture,
      details: { status_code: capture.statusCode },
      ...describeStatus(capture.statusCode, headers),
    });
  }
  if (!isAccepted(capture.statusCode)) throw statusError(capture.statusCode, { capture, headers });
  if (isMislabelled(capture.html))
    throw new AppError('unsupported_content', 'the target is declared as HTML but is a file of another kind');
  return capture;
}

export function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

interface Answered {
  readonly capture?: Capture;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function statusError(statusCode: number, { capture, headers = {} }: Answered = {}): CaptureError {
  return new CaptureError('http_status_not_ok', `the target answered with status ${statusCode}`, {
    ...describeStatus(statusCode, headers),
    ...(capture ? { capture } : {}),
  });
}

/** Longest forwarded wait: a day. */
const MAX_RETRY_AFTER_S = 86_400;

function describeStatus(
  statusCode: number,
  headers: Readonly<Record<string, string>>,
): Pick<AppErrorOptions, 'upstreamStatusCode' | 'retryAfterSeconds'> {
  if (isAccepted(statusCode)) return {};
  return { upstreamStatusCode: statusCode, retryAfterSeconds: readRetryAfter(headers['retry-after']) };
}

/** Parses a number or a date (RFC 9110, 10.2.3). */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  // A date starts with a weekday; `Date.parse` accepts almost any number.
  const date = /^[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (date - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(MAX_RETRY_AFTER_S, Math.max(0, seconds));
}

/**
 * Creates the error for other content; an unaccepted status takes precedence.
 * @param kind default: by the media type
 */
export function notADocument(
  statusCode: number,
  mediaType: string | null,
  headers: Readonly<Record<string, string>>,
  kind: string | undefined = nameFile({ mediaType, fileName: '' }),
): AppError {
  if (!isAccepted(statusCode)) return statusError(statusCode, { headers });
  const declared =
    mediaType === null ? 'undeclared content that does not look like HTML' : `content of type ${mediaType}`;
  return new AppError(
    'unsupported_content',
    `the target is ${kind ?? declared}, neither an HTML page nor a document that can be read (PDF, text, Markdown, JSON, XML)`,
  );
}

export function pageTooLarge(maxBytes: number): AppError {
  return new AppError('response_too_large', `the page is larger than ${formatBytes(maxBytes)} (WINNOW_MAX_PAGE_BYTES)`);
}

export function failedAttempt(engine: EngineName, error: AppError, elapsedMs: number): EngineAttempt {
  return { engine, outcome: 'failed', reason: error.message, errorCode: error.code, elapsedMs };
}

interface SeenPage {
  readonly statusCode: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** Block pages are shorter, including scripts. Testing longer pages would block the event loop. */
const MAX_CHARACTERS = 1024 * 1024;

/** No rule needs more text. */
const ENOUGH_TEXT = Math.max(...BLOCK_RULES.map((rule) => rule.maxText ?? 0)) + 1;

/** Returns why a page is a block page; undefined if it is not. */
export function classifyBlock(page: SeenPage): string | undefined {
  let text: number | undefined;
  let title: string | undefined;
  const isShort = page.html.length <= MAX_CHARACTERS;
  // Tests the costly text last.
  const fits = (rule: BlockRule): boolean => {
    if (rule.statuses && !rule.statuses.includes(page.statusCode)) return false;
    if (rule.header && !rule.header[1].test(page.headers[rule.header[0]] ?? '')) return false;
    if (rule.maxText !== undefined && !isShort) return false;
    if (rule.maxText !== undefined && (text ??= countVisibleText(page.html, ENOUGH_TEXT)) > rule.maxText) return false;
    if (rule.title && !rule.title.test((title ??= readTitleText(page.html)))) return false;
    return rule.html === undefined || rule.html.test(page.html);
  };
  return BLOCK_RULES.find(fits)?.reason;
}
