import type { ErrorResponse } from './contract-types.ts';
import { startDeadline, wait, type Deadline } from './deadline.ts';
import { RETRIED_STATUSES, WinnowApiError, WinnowConnectionError, WinnowProtocolError } from './errors.ts';

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, including waits between attempts; `Infinity`: no limit. */
  timeoutMs?: number | undefined;
  /** Retries after a 429 or 503; 0: none. */
  maxRetries?: number | undefined;
  /** Cache-Control header: `max-age=3600` reuses a stored snapshot of that many seconds, `only-if-cached` fetches nothing. */
  cacheControl?: string | undefined;
  /** Kept by the service as the request's id: 1 to 128 of `A-Za-z0-9._-`. */
  requestId?: string | undefined;
}

export interface TransportOptions {
  /** Address of the service; `/v1` at its end is left out. */
  baseUrl: string;
  /** Time limit of a call, in milliseconds. Default 60,000. */
  timeoutMs?: number | undefined;
  /** Retries after a 429 or 503. Default 2. */
  maxRetries?: number | undefined;
  /** Longest accepted `Retry-After`, in milliseconds; beyond it the error is thrown at once. Default 30,000. */
  maxRetryWaitMs?: number | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base address. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Values sent as JSON Lines, instead of `body`. */
  bodyLines?: readonly unknown[];
  headers?: Record<string, string>;
  /** Statuses besides 2xx whose body is an answer, not an error. */
  accept?: readonly number[];
  /** The answer is JSON Lines, returned as an array. */
  lines?: boolean;
  /** The answer is a file, returned as bytes. */
  isFile?: boolean;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 2;
const DEFAULT_MAX_WAIT_MS = 30_000;

/** Wait before the first retry without a `Retry-After`, in milliseconds. */
const FALLBACK_WAIT_MS = 1000;

/** Makes JSON calls to one service, with a time limit, abort, retries and error classes. */
export class Transport {
  readonly baseUrl: string;
  readonly #options: TransportOptions;

  /** Throws TypeError when `baseUrl` is not an http or https address. */
  constructor(options: TransportOptions) {
    this.baseUrl = normalizeBaseUrl(options.baseUrl);
    this.#options = options;
  }

  /** Returns the answer's body. Throws the classes of `errors.ts`, or the signal's reason. */
  async send<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const deadline = startDeadline(timeoutMs, options.signal);
    try {
      return await this.#sendWithRetries<T>(call, options, deadline);
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw error;
    } finally {
      deadline.release();
    }
  }

  /** As `send`, for an answer of JSON Lines. */
  async sendForLines<T>(call: Call, options: CallOptions = {}): Promise<T[]> {
    return this.send<T[]>({ ...call, lines: true }, options);
  }

  /** As `send`, for an answer that is a file. */
  async sendForBytes(call: Call, options: CallOptions = {}): Promise<Uint8Array> {
    return this.send<Uint8Array>({ ...call, isFile: true }, options);
  }

  async #sendWithRetries<T>(call: Call, options: CallOptions, deadline: Deadline): Promise<T> {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    const maxWaitMs = this.#options.maxRetryWaitMs ?? DEFAULT_MAX_WAIT_MS;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#sendOnce<T>(call, options, deadline.signal);
      } catch (error) {
        // A proxy in front of the service answers without the service's JSON.
        const isAnswer = error instanceof WinnowApiError || error instanceof WinnowProtocolError;
        if (!isAnswer || !RETRIED_STATUSES.has(error.status) || tries >= maxRetries) throw error;
        const seconds = error.retryAfterSeconds;
        const waitMs = seconds === undefined ? FALLBACK_WAIT_MS * 2 ** tries : seconds * 1000;
        // This error says more than the timeout after the wait.
        if (waitMs > maxWaitMs || waitMs >= deadline.remainingMs()) throw error;
        await wait(waitMs, deadline.signal);
      }
    }
  }

  async #sendOnce<T>(call: Call, options: CallOptions, signal: AbortSignal): Promise<T> {
    const url = `${this.baseUrl}${call.path}${formatQuery(call.query)}`;
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
    const body = formatBody(call);
    if (body !== undefined) headers['content-type'] = body.type;
    if (options.cacheControl !== undefined) headers['cache-control'] = options.cacheControl;
    if (options.requestId !== undefined) headers['x-request-id'] = options.requestId;
    // A redirect would send the key to another address.
    const init: RequestInit = { method: call.method, headers, signal, redirect: 'error' };
    if (body !== undefined) init.body = body.text;
    const fetch = this.#options.fetch ?? globalThis.fetch;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, init);
      if (call.isFile === true && response.ok) return new Uint8Array(await response.arrayBuffer()) as T;
      text = await response.text();
    } catch (error) {
      throw new WinnowConnectionError(url, error);
    }
    return readAnswer(url, call, response, text) as T;
  }
}

function formatBody({ body, bodyLines }: Call): { type: string; text: string } | undefined {
  if (bodyLines !== undefined)
    return { type: 'application/x-ndjson', text: bodyLines.map((line) => `${JSON.stringify(line)}\n`).join('') };
  return body === undefined ? undefined : { type: 'application/json', text: JSON.stringify(body) };
}

function readAnswer(url: string, call: Call, response: Response, text: string): object {
  const body = call.lines && response.ok ? parseLines(text) : parseJson(text);
  if (body !== undefined && response.ok) return body;
  const retryAfter = readRetryAfter(response.headers.get('retry-after'));
  if (body !== undefined && isErrorResponse(body)) throw new WinnowApiError(response.status, body, retryAfter);
  if (body !== undefined && call.accept?.includes(response.status)) return body;
  throw new WinnowProtocolError(url, response.status, response.headers.get('content-type'), retryAfter);
}

function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when a line is not JSON, such as after a cut connection. */
function parseLines(text: string): object[] | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  const values = lines.map(parseJson);
  return values.every((value) => value !== undefined) ? values : undefined;
}

function isErrorResponse(body: object): body is ErrorResponse {
  const error: unknown = 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'code' in error && 'stage' in error && 'message' in error;
}

/** Returns seconds; the header is a number of seconds or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

function normalizeBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError(`baseUrl: not an http or https address: ${JSON.stringify(baseUrl)}`);
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')}`;
}

function formatQuery(query: Call['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
