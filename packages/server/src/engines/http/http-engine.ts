import { CookieJar } from 'tough-cookie';
import { AppError } from '../../domain/shared/errors.ts';
import type { Capture, CaptureRequest, Engine, Redirect } from '../../domain/capture/capture-ports.ts';
import { findUrlFault } from '../../egress/policy/check-url.ts';
import type { Egress, EgressGate } from '../../egress/egress.ts';
import { mapHttpError } from '../../egress/dialing/map-error.ts';
import { documentKindOf, isXmlType, looksLikeHtml, readContentType } from '../shared/content-type.ts';
import { answerReserveMs, startDeadline, within } from '../shared/deadline.ts';
import type { Deadline } from '../shared/deadline.ts';
import { isAccepted, notADocument, pageTooLarge, requirePage, statusError } from '../shared/judge-response.ts';
import { toHtmlSyntax } from '../shared/xhtml.ts';
import { decodeBody } from './decode-body.ts';
import type { DecodedBody } from './decode-body.ts';
import { decodeDocument } from './decode-document.ts';
import { Exchange } from './exchange.ts';
import type { ResponseHead } from './exchange.ts';
import { navigationHeaders } from './request-headers.ts';
import { isUnreadableHead, UnreadableResponse } from './unreadable-response.ts';

export interface HttpEngineOptions {
  readonly egress: Egress;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** Maximum page in bytes, encoded and decoded. */
  readonly maxPageBytes: number;
  readonly maxRedirects: number;
}

/** Bytes and milliseconds for reading a redirect's body, which keeps the connection reusable. */
const MAX_SKIPPED_BYTES = 65_536;
const MAX_SKIPPING_MS = 100;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Creates the engine `http`: plain requests with redirects, without scripts. */
export function createHttpEngine(options: HttpEngineOptions): Engine {
  return {
    async capture(request) {
      using deadline = startDeadline(request, answerReserveMs(request.timeoutMs));
      const gate = options.egress.gate(request.egress);
      const answer = await followRedirects(request, { gate, deadline, options });
      try {
        return await readCapture(answer, { deadline, options });
      } finally {
        answer.exchange.close();
      }
    },
  };
}

interface Sent {
  readonly response: ResponseHead;
  readonly exchange: Exchange;
}

interface Answer extends Sent {
  readonly url: URL;
  readonly redirects: readonly Redirect[];
  /** Milliseconds from the start to the headers of the last response. */
  readonly responseMs: number;
}

interface Context {
  readonly gate: EgressGate;
  readonly deadline: Deadline;
  readonly options: HttpEngineOptions;
}

async function followRedirects(request: CaptureRequest, context: Context): Promise<Answer> {
  const { deadline, options } = context;
  const redirects: Redirect[] = [];
  const jar = createLateJar();
  let url = request.url;
  for (;;) {
    requireAllowed(url, context.gate, redirects.length > 0);
    const { exchange, response } = await send(url, jar, context);
    const next = redirectTarget({ exchange, response }, url);
    if (!next) return { url, response, exchange, redirects, responseMs: deadline.elapsedMs() };
    await skipBody(exchange);
    redirects.push({ url: url.href, statusCode: response.statusCode });
    if (redirects.length > options.maxRedirects) {
      throw new AppError('too_many_redirects', `more than ${options.maxRedirects} redirects`, {
        details: { redirects },
      });
    }
    url = next;
  }
}

function requireAllowed(url: URL, gate: EgressGate, isRedirected: boolean): void {
  const fault = findUrlFault(url, gate.policy);
  if (fault === undefined) return;
  throw isRedirected
    ? new AppError('egress_denied', `redirected to a refused target: ${fault}`)
    : new AppError('url_not_allowed', fault);
}

async function send(url: URL, jar: LateJar, { gate, deadline, options }: Context): Promise<Sent> {
  const cookie = jar.read(url);
  const headers = navigationHeaders(options.userAgent, options.acceptLanguage);
  const exchange = new Exchange(url, {
    dispatcher: gate.dispatcher,
    headers: cookie === '' ? headers : { ...headers, cookie },
    signal: deadline.signal,
    maxBytes: options.maxPageBytes,
    tooLarge: () => pageTooLarge(options.maxPageBytes),
  });
  try {
    const response = await exchange.head;
    jar.keep(allValues(response.headers['set-cookie']), url);
    return { exchange, response };
  } catch (error) {
    exchange.close();
    if (deadline.signal.aborted) throw deadline.error();
    throw isUnreadableHead(error) ? unreadableHead(error, url) : mapHttpError(error, url);
  }
}

function unreadableHead(error: unknown, url: URL): UnreadableResponse {
  const { message } = error as Error;
  return new UnreadableResponse('connect_failed', `the answer of ${url.host} cannot be read (${message})`, {
    cause: error,
  });
}

/** Reads a short redirect body, so that its connection can be reused. */
async function skipBody(exchange: Exchange): Promise<void> {
  exchange.limit(MAX_SKIPPED_BYTES);
  await within(
    exchange.body.catch(() => undefined),
    MAX_SKIPPING_MS,
  );
  exchange.close();
}

/** Cookies of one capture, created on demand. */
interface LateJar {
  /** Returns the `Cookie` header; empty for none. */
  read(url: URL): string;
  keep(values: readonly string[], url: URL): void;
}

function createLateJar(): LateJar {
  let jar: CookieJar | undefined;
  return {
    read: (url) => jar?.getCookieStringSync(url.href) ?? '',
    keep(values, url) {
      for (const value of values) (jar ??= new CookieJar()).setCookieSync(value, url.href, { ignoreError: true });
    },
  };
}

const BEYOND_ASCII = /[\u0080-\u00ff]/g;

function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** @throws for an invalid redirect target, after aborting the response */
function redirectTarget({ exchange, response }: Sent, base: URL): URL | null {
  const [location] = allValues(response.headers['location']);
  if (!REDIRECT_STATUSES.has(response.statusCode) || location === undefined) return null;
  // // Headers arrive as latin1; bytes beyond ASCII are sent back unchanged.
  const target = URL.parse(location.replaceAll(BEYOND_ASCII, percentEncode), base.href);
  if (!target) {
    exchange.close();
    throw new AppError('connect_failed', 'redirected to an invalid URL');
  }
  if (target.hash === '') target.hash = base.hash;
  return target;
}

async function readCapture(answer: Answer, { deadline, options }: Omit<Context, 'gate'>): Promise<Capture> {
  const { response, url } = answer;
  const contentType = joinedValue(response, 'content-type');
  const { mediaType, charset: label } = readContentType(contentType);
  const kind = documentKindOf(mediaType);
  if (kind === 'other') throw notADocument(response.statusCode, mediaType, flatHeaders(response));
  const { bytes, isCutOff, transferBytes } = await readWithin(answer, { deadline, options });
  if (kind === 'maybe' && !looksLikeHtml(bytes, mediaType))
    throw notADocument(response.statusCode, mediaType, flatHeaders(response));
  const isXml = isXmlType(mediaType);
  const { text, charset } = decodeDocument(bytes, { label, isXml });
  const refresh = firstValue(response, 'refresh');
  const elapsedMs = deadline.elapsedMs();
  const capture: Capture = {
    engine: 'http',
    finalUrl: url.href,
    statusCode: response.statusCode,
    fetchedAt: new Date(),
    html: isXml ? toHtmlSyntax(text) : text,
    contentType,
    charset,
    contentLanguage: firstValue(response, 'content-language'),
    ...(refresh === null ? {} : { refresh }),
    redirects: answer.redirects,
    protocol: 'http/1.1',
    transferBytes,
    bodyBytes: bytes.length,
    timings: { response: Math.round(answer.responseMs), body: Math.round(elapsedMs - answer.responseMs) },
    blockedRequests: [],
    partial: isCutOff,
    attempts: [
      { engine: 'http', outcome: 'captured', reason: null, errorCode: null, elapsedMs: Math.round(elapsedMs) },
    ],
  };
  return requirePage(capture, flatHeaders(response));
}

/** Returns the decoded body and its encoded size. */
async function readWithin(
  { response, exchange, url }: Answer,
  { deadline, options }: Omit<Context, 'gate'>,
): Promise<DecodedBody & { readonly transferBytes: number }> {
  const encoding = allValues(response.headers['content-encoding']).join(',');
  try {
    const received = await exchange.body;
    const body = await deadline.race(decodeBody(received, encoding, options.maxPageBytes));
    return { ...body, transferBytes: received.length };
  } catch (error) {
    // // The status is more informative than a fault of the error page.
    if (!isAccepted(response.statusCode)) throw statusError(response.statusCode, { headers: flatHeaders(response) });
    throw deadline.signal.aborted ? deadline.error() : mapHttpError(error, url);
  }
}

function allValues(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

function firstValue(response: ResponseHead, name: string): string | null {
  return allValues(response.headers[name])[0] ?? null;
}

function joinedValue(response: ResponseHead, name: string): string | null {
  const values = allValues(response.headers[name]);
  return values.length === 0 ? null : values.join(', ');
}

function flatHeaders(response: ResponseHead): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, allValues(value).join(', ')]),
  );
}
