import { CookieJar, Cookie } from 'tough-cookie';
import { describeRedirects } from '../../domain/capture/describe-capture.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type {
  Capture,
  CaptureRequest,
  Engine,
  Redirect,
  DocumentConverter,
  ConvertedDocument,
  DocumentFormat,
} from '../../domain/capture/capture-ports.ts';
import { findUrlFault } from '../../egress/policy/check-url.ts';
import type { Egress, EgressGuard } from '../../egress/egress.ts';
import { mapHttpError } from '../../egress/dialing/map-error.ts';
import {
  documentKindOf,
  isReadable,
  isXmlType,
  looksLikeHtml,
  nameFile,
  readContentType,
  recognizeContent,
  type DeclaredContent,
} from '../shared/content-type.ts';
import { answerReserveMs, startDeadline, type Deadline } from '../shared/deadline.ts';
import { within } from '../../domain/shared/within.ts';
import { isAccepted, notADocument, pageTooLarge, requirePage, statusError } from '../shared/judge-response.ts';
import { toHtmlSyntax } from '../shared/xhtml.ts';
import { countVisibleText } from '../../domain/shells/html-heuristics.ts';
import { findStatedRedirect } from '../../domain/shells/judge-shell.ts';
import { isOfTarget } from '../../domain/request-options/target-site.ts';
import { identityOf } from '../shared/request-identity.ts';
import { decodeBody, gzipHeadLength, type DecodedBody } from './decode-body.ts';
import { isIncompleteTls, isUnreadable, UnreadableDocument, UnreadableResponse } from './unreadable.ts';
import { decodeDocument } from './decode-document.ts';
import { HttpGet, navigationHeaders, type ResponseHead } from './http-get.ts';
import type { CaptureCookie } from '../../domain/request-options/page-options.ts';

export interface HttpEngineOptions {
  /** Stays open when the engines close. */
  readonly egress: Egress;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** Limits the encoded and the decoded body. */
  readonly maxPageBytes: number;
  readonly maxRedirects: number;
  /** Converts PDFs, text, Markdown, JSON and XML to pages. Default: they are refused. */
  readonly documents?: DocumentConverter;
}

/** Characters; larger pages are no redirects that a page states, or a process judges them. */
const LARGE_PAGE = 256 * 1024;

/** Later, a page with text is shown before the next one, as in a slide show. */
const AT_ONCE_S = 1;

/** Reading a short redirect body keeps the connection reusable. */
const MAX_SKIPPED_BYTES = 65_536;
const MAX_SKIPPING_MS = 100;

/** 300 names the server's choice among several addresses. */
const REDIRECT_STATUSES = new Set([300, 301, 302, 303, 307, 308]);

export function createHttpEngine(options: HttpEngineOptions): Engine {
  return {
    async capture(request) {
      using deadline = startDeadline(request, answerReserveMs(request.timeoutMs));
      const context = { guard: options.egress.guard(request.egress), deadline, options };
      const trail = new Trail(request, options.maxRedirects);
      for (;;) {
        const capture = await readAnswer(await followRedirects(request, trail, context), context);
        const next = capture.html.length < LARGE_PAGE ? findStatedRedirect(capture, AT_ONCE_S)?.url : undefined;
        if (next === undefined || trail.includes(next)) return capture;
        trail.leaveFor(next, capture.statusCode);
      }
    },
  };
}

interface Sent {
  readonly response: ResponseHead;
  readonly get: HttpGet;
}

interface Answer extends Sent {
  readonly url: URL;
  readonly redirects: readonly Redirect[];
  readonly responseMs: number;
}

interface Context {
  readonly guard: EgressGuard;
  readonly deadline: Deadline;
  readonly options: HttpEngineOptions;
}

/** The addresses of one capture. */
class Trail {
  readonly jar: LateJar;
  readonly #redirects: Redirect[] = [];
  readonly #maxRedirects: number;
  #url: URL;

  constructor(request: CaptureRequest, maxRedirects: number) {
    this.jar = createLateJar(request);
    this.#url = request.url;
    this.#maxRedirects = maxRedirects;
  }

  get url(): URL {
    return this.#url;
  }

  get redirects(): readonly Redirect[] {
    return this.#redirects;
  }

  includes({ href }: URL): boolean {
    return this.#redirects.some(({ url }) => url === href);
  }

  leaveFor(next: URL, statusCode: number): void {
    this.#redirects.push({ url: this.#url.href, statusCode });
    if (this.#redirects.length > this.#maxRedirects)
      throw new AppError('too_many_redirects', `more than ${this.#maxRedirects} redirects`, {
        details: { redirects: describeRedirects(this.#redirects) },
      });
    this.#url = next;
  }
}

async function followRedirects(request: CaptureRequest, trail: Trail, context: Context): Promise<Answer> {
  for (;;) {
    const { url, redirects } = trail;
    requireAllowed(url, context.guard, redirects.length > 0);
    const { get, response } = await send(url, trail.jar, request, context);
    const next = redirectTarget({ get, response }, url);
    if (!next) return { url, response, get, redirects: [...redirects], responseMs: context.deadline.elapsedMs() };
    await skipBody(get);
    trail.leaveFor(next, response.statusCode);
  }
}

async function readAnswer(answer: Answer, context: Omit<Context, 'guard'>): Promise<Capture> {
  try {
    return await readCapture(answer, context);
  } finally {
    answer.get.close();
  }
}

function requireAllowed(url: URL, guard: EgressGuard, isRedirected: boolean): void {
  const fault = findUrlFault(url, guard.policy);
  if (fault === undefined) return;
  throw isRedirected
    ? new AppError('egress_denied', `redirected to a refused target: ${fault}`)
    : new AppError('url_not_allowed', fault);
}

async function send(
  url: URL,
  jar: LateJar,
  request: CaptureRequest,
  { guard, deadline, options }: Context,
  isFirst = true,
): Promise<Sent> {
  const cookie = jar.read(url);
  const headers = {
    ...navigationHeaders(identityOf(request.options, options)),
    ...(isOfTarget(request.url, url) ? request.options?.headers : undefined),
  };
  const get = new HttpGet(url, {
    dispatcher: guard.dispatcher,
    headers: cookie === '' ? headers : { ...headers, cookie },
    signal: deadline.signal,
    maxBytes: options.maxPageBytes,
    tooLarge: () => pageTooLarge(options.maxPageBytes),
  });
  try {
    const response = await get.head;
    jar.keep(allValues(response.headers['set-cookie']), url);
    return { get, response };
  } catch (error) {
    get.close();
    if (deadline.signal.aborted) throw deadline.error();
    if (isFirst && isHungUp(error)) return await send(url, jar, request, { guard, deadline, options }, false);
    if (isUnreadable(error)) throw unreadable(error, url);
    const failure = mapHttpError(error, url);
    throw isIncompleteTls(error) ? new UnreadableResponse(failure.code, failure.message, { cause: error }) : failure;
  }
}

/** A server that closes a connection before its answer often answers on the next one. */
function isHungUp(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || (code === 'UND_ERR_SOCKET' && message === 'other side closed');
}

function unreadable(error: unknown, url: URL): UnreadableResponse {
  const { message } = error as Error;
  return new UnreadableResponse('connect_failed', `the answer of ${url.host} cannot be read (${message})`, {
    cause: error,
  });
}

async function skipBody(get: HttpGet): Promise<void> {
  get.limit(MAX_SKIPPED_BYTES);
  await within(
    get.body.catch(() => undefined),
    MAX_SKIPPING_MS,
  );
  get.close();
}

/** Cookies of one capture, created on demand. */
interface LateJar {
  read(url: URL): string;
  keep(values: readonly string[], url: URL): void;
}

function createLateJar({ url: target, options }: CaptureRequest): LateJar {
  let jar = options?.cookies === undefined ? undefined : seedCookies(options.cookies, target);
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

/** @throws for an invalid redirect target */
function redirectTarget({ get, response }: Sent, base: URL): URL | null {
  const [location] = allValues(response.headers['location']);
  if (!REDIRECT_STATUSES.has(response.statusCode) || location === undefined) return null;
  // Headers arrive as latin1; bytes beyond ASCII are sent back unchanged.
  const target = URL.parse(location.replaceAll(BEYOND_ASCII, percentEncode), base.href);
  if (!target) {
    get.close();
    throw new AppError('connect_failed', 'redirected to an invalid URL');
  }
  if (target.hash === '') target.hash = base.hash;
  return target;
}

async function readCapture(answer: Answer, { deadline, options }: Omit<Context, 'guard'>): Promise<Capture> {
  const { response, url } = answer;
  const headers = flatHeaders(response);
  const { mediaType, charset: label } = readContentType(joinedValue(response, 'content-type'));
  const fileName = fileNameOf(url, headers['content-disposition']);
  const declared = { mediaType, fileName };
  const canConvert = options.documents !== undefined && isAccepted(response.statusCode);
  if (!(canConvert ? isReadable(declared) : documentKindOf(mediaType) !== 'other'))
    throw notADocument(response.statusCode, mediaType, headers, nameFile(declared));
  const body = await unpackUndeclared(await readWithin(answer, { deadline, options }), declared, options.maxPageBytes);
  const found = recognizeContent(body.bytes, declared);
  if (body.isLate && found !== 'html') throw deadline.tooLate();
  if (found !== 'html') {
    if (options.documents === undefined || !canConvert) throw notADocument(response.statusCode, mediaType, headers);
    if (found === undefined) throw anotherFile(declared, body.bytes);
    if (found === 'pdf' && body.isCutOff) throw brokenOff(url);
    const converter = options.documents;
    const document = await convertBody(body.bytes, { format: found, label, fileName, deadline, converter });
    return toCapture(answer, body, { ...document, format: found }, deadline);
  }
  const isXml = isXmlType(mediaType);
  const { text, charset } = await decodeDocument(body.bytes, { label, isXml });
  const page = { html: isXml ? await toHtmlSyntax(text) : text, charset };
  if (body.isLate && countVisibleText(page.html, MIN_LATE_TEXT) < MIN_LATE_TEXT) throw deadline.tooLate();
  return requirePage(toCapture(answer, body, page, deadline), headers);
}

/** The name that a download would get: of Content-Disposition, else the last segment of the path, else the host. */
function fileNameOf({ pathname, host }: URL, disposition: string | undefined): string {
  const stated = /;\s*filename\s*=\s*(?:"([^"]{1,255})"|([^\s;"]{1,255}))/i.exec(disposition ?? '');
  const name = stated?.[1] ?? stated?.[2] ?? pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name) || host;
  } catch {
    return name;
  }
}

/** Compressed bytes that tell what an archive contains. */
const OPENING_BYTES = 4096;

/** Servers send pages and PDFs that they keep compressed without saying so. */
async function unpackUndeclared(
  body: ReceivedBody,
  declared: DeclaredContent,
  maxBytes: number,
): Promise<ReceivedBody> {
  if (gzipHeadLength(body.bytes) === undefined) return body;
  const { bytes: opening } = await decodeBody(body.bytes.subarray(0, OPENING_BYTES), 'gzip', maxBytes);
  const isWanted = looksLikeHtml(opening, declared.mediaType) || recognizeContent(opening, declared) === 'pdf';
  return isWanted ? { ...body, ...(await decodeBody(body.bytes, 'gzip', maxBytes)) } : body;
}

function brokenOff(url: URL): AppError {
  return new AppError('connect_failed', `the connection to ${url.host} broke off before the end of the document`);
}

/** No other engine would make a page of it. */
function anotherFile(declared: DeclaredContent, bytes: Uint8Array): UnreadableDocument {
  const { mediaType } = declared;
  const kind = nameFile(declared, bytes);
  if (kind !== undefined)
    return new UnreadableDocument('unsupported_content', `the target is ${kind}, which cannot be read`);
  const type = mediaType === null ? 'undeclared' : `declared as ${mediaType}`;
  return new UnreadableDocument(
    'unsupported_content',
    `the target is ${type}, but its bytes are a file of another kind`,
  );
}

interface ReadPage extends ConvertedDocument {
  readonly charset: string | null;
  readonly format?: DocumentFormat;
}

function toCapture(
  { response, url, redirects, responseMs }: Answer,
  { bytes, isCutOff, transferBytes }: ReceivedBody,
  { html, partial, charset, format }: ReadPage,
  deadline: Deadline,
): Capture {
  const refresh = firstValue(response, 'refresh');
  const elapsedMs = deadline.elapsedMs();
  return {
    engine: 'http',
    finalUrl: url.href,
    statusCode: response.statusCode,
    fetchedAt: new Date(),
    html,
    contentType: joinedValue(response, 'content-type'),
    charset,
    contentLanguage: firstValue(response, 'content-language'),
    ...(refresh === null || format !== undefined ? {} : { refresh }),
    redirects,
    protocol: 'http/1.1',
    transferBytes,
    bodyBytes: bytes.length,
    timings: { response: Math.round(responseMs), body: Math.round(elapsedMs - responseMs) },
    blockedRequests: [],
    partial: isCutOff || partial === true,
    attempts: [
      { engine: 'http', outcome: 'captured', reason: null, errorCode: null, elapsedMs: Math.round(elapsedMs) },
    ],
    ...(format === undefined ? {} : { document: format }),
  };
}

/** Less of a page that broke off says nothing about it. */
const MIN_RECEIVED_SHARE = 0.1;

/** Visible characters: a page that has not ended in time is worth more than an error if it has this many. */
const MIN_LATE_TEXT = 200;
/** Part of the remaining time, and its most milliseconds, in which such a page is read. */
const READING_SHARE = 0.1;
const MAX_READING_MS = 1000;

interface ReceivedBody extends DecodedBody {
  readonly transferBytes: number;
  /** Cut off by the time limit. */
  readonly isLate: boolean;
}

async function readWithin(
  { response, get, url }: Answer,
  { deadline, options }: Omit<Context, 'guard'>,
): Promise<ReceivedBody> {
  const encoding = allValues(response.headers['content-encoding']).join(',');
  const leftMs = deadline.remainingMs();
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      get.cut(deadline.tooLate());
    },
    leftMs - Math.min(MAX_READING_MS, leftMs * READING_SHARE),
  );
  try {
    const { bytes: received, fault } = await get.body;
    const declaredLength = Number(firstValue(response, 'content-length') ?? 0);
    if (fault !== undefined && received.length < MIN_RECEIVED_SHARE * declaredLength) throw fault;
    const { bytes, isCutOff } = await deadline.race(decodeBody(received, encoding, options.maxPageBytes));
    // A compressed stream says itself whether it is whole; the declared length may be that of the page.
    const isWhole = !isCutOff && (fault === undefined || bytes !== received);
    return { bytes, isCutOff: !isWhole, transferBytes: received.length, isLate };
  } catch (error) {
    // The status is more informative than a fault of the error page.
    if (!isAccepted(response.statusCode)) throw statusError(response.statusCode, { headers: flatHeaders(response) });
    if (deadline.signal.aborted) throw deadline.error();
    throw isUnreadable(error) ? unreadable(error, url) : mapHttpError(error, url);
  } finally {
    clearTimeout(timer);
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

interface BodyToConvert {
  readonly format: DocumentFormat;
  /** The charset parameter of the Content-Type header. */
  readonly label: string | undefined;
  readonly fileName: string;
  readonly deadline: Deadline;
  readonly converter: DocumentConverter;
}

/**
 * Converts the body of a document to a page.
 * @throws {UnreadableDocument} with the codes of {@link DocumentConverter}
 */
async function convertBody(
  bytes: Buffer,
  { format, label, fileName, deadline, converter }: BodyToConvert,
): Promise<ConvertedDocument & { readonly charset: string | null }> {
  const decoded = format === 'pdf' ? undefined : await decodeDocument(bytes, { label, isXml: format === 'xml' });
  const source = { format, content: decoded?.text ?? bytes, fileName };
  const budget = { timeoutMs: Math.max(1, deadline.remainingMs()), signal: deadline.signal };
  try {
    return { ...(await deadline.race(converter.convert(source, budget))), charset: decoded?.charset ?? null };
  } catch (error) {
    if (!(error instanceof AppError) || error === deadline.signal.reason) throw error;
    const { code, message, stage, retryable, retryAfterSeconds } = error;
    throw new UnreadableDocument(code, message, { stage, retryable, retryAfterSeconds, cause: error });
  }
}

function seedCookies(cookies: readonly CaptureCookie[], target: URL): CookieJar {
  const jar = new CookieJar();
  for (const { name: key, value, domain, path, secure } of cookies) {
    const cookie = new Cookie({ key, value, path, secure, ...(domain === undefined ? {} : { domain }) });
    // The jar accepts a secure cookie only for https.
    const origin = `${secure ? 'https:' : target.protocol}//${domain ?? target.hostname}${path}`;
    jar.setCookieSync(cookie, origin);
  }
  return jar;
}
