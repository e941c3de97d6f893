import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { request as sendRequest } from 'undici';
import type { RobotsRules } from '../domain/batches/batch-ports.ts';
import type { ProjectEgress } from '../domain/capture/capture-ports.ts';
import { readStart } from '../domain/shared/byte-collector.ts';
import { AppError } from '../domain/shared/errors.ts';
import { findUrlFault } from '../egress/policy/check-url.ts';
import type { Egress, EgressGuard } from '../egress/egress.ts';
import { mapHttpError } from '../egress/dialing/map-error.ts';
import { RobotsGroup } from './robots-group.ts';

export interface RobotsOptions {
  readonly egress: Pick<Egress, 'guard'>;
  readonly userAgent: string;
  readonly agent: string;
  readonly now?: () => number;
  /** Of all cached files. Default 64 MiB. */
  readonly maxBytes?: number;
}

/** RFC 9309, 2.5. */
const MAX_BYTES = 512 * 1024;

/** RFC 9309, 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** For a file and its redirects. */
const TIMEOUT_MS = 10_000;

/** RFC 9309, 2.4: at most a day. Failures are retried soon. */
const LIFETIME_MS = 60 * 60 * 1000;
const FAILURE_LIFETIME_MS = 60 * 1000;
const MAX_ORIGINS = 5000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** The cache requires sizes above 0. */
const LEAST_SIZE = 1;

/** Some servers compress unasked. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
]);

interface Rules {
  /** Undefined: everything is allowed. */
  readonly group: RobotsGroup | undefined;
  readonly closed?: string;
  readonly failure?: AppError;
}

/**
 * Caches robots.txt by RFC 9309 per origin and egress rules. A missing file (4xx) allows everything, an unreachable one
 * (5xx) nothing. After redirects it applies to the requested origin (2.3.1.2).
 */
export class RobotsTxt implements RobotsRules {
  readonly #options: RobotsOptions;
  readonly #rules: LRUCache<string, Promise<Rules>>;

  constructor(options: RobotsOptions) {
    this.#options = options;
    this.#rules = new LRUCache({
      max: MAX_ORIGINS,
      maxSize: options.maxBytes ?? MAX_KEPT_BYTES,
      ttl: LIFETIME_MS,
      ...(options.now === undefined ? {} : { perf: { now: options.now }, ttlResolution: 0 }),
    });
  }

  async refusal(url: URL, signal: AbortSignal, project?: ProjectEgress): Promise<string | undefined> {
    signal.throwIfAborted();
    const { group, closed, failure } = await this.#rulesOf(url.origin, this.#options.egress.guard(project));
    if (failure !== undefined) throw failure;
    return closed ?? group?.refusal(url);
  }

  #rulesOf(origin: string, guard: EgressGuard): Promise<Rules> {
    const key = `${origin} ${guard.key}`;
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(origin, guard);
    this.#rules.set(key, loading, { size: LEAST_SIZE });
    void loading.then(({ group, closed, failure }) => {
      if (this.#rules.peek(key) !== loading) return;
      const ttl = closed === undefined && failure === undefined ? LIFETIME_MS : FAILURE_LIFETIME_MS;
      // The cache keeps the size of a value that is set again.
      this.#rules.delete(key);
      this.#rules.set(key, loading, { size: LEAST_SIZE + (group?.bytes ?? 0), ttl });
    });
    return loading;
  }

  /** Never rejects. */
  async #load(origin: string, guard: EgressGuard): Promise<Rules> {
    const url = new URL('/robots.txt', origin);
    try {
      return await this.#fetch(url, guard, MAX_REDIRECTS, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      const { code, message } = isTimeout(error)
        ? new AppError('fetch_timeout', `no answer within ${TIMEOUT_MS} ms`)
        : mapHttpError(error, url);
      return { group: undefined, failure: new AppError(code, `${url.href}: ${message}`, { cause: error }) };
    }
  }

  async #fetch(url: URL, guard: EgressGuard, redirects: number, signal: AbortSignal): Promise<Rules> {
    const fault = findUrlFault(url, guard.policy);
    if (fault !== undefined)
      throw redirects < MAX_REDIRECTS
        ? new AppError('egress_denied', `redirected to a refused target: ${fault}`)
        : new AppError('url_not_allowed', fault);
    const { statusCode, headers, body } = await sendRequest(url, {
      dispatcher: guard.dispatcher,
      headers: {
        'user-agent': this.#options.userAgent,
        accept: 'text/plain,*/*;q=0.5',
        // Otherwise any encoding would be acceptable (RFC 9110, 12.5.3).
        'accept-encoding': 'identity',
      },
      signal,
    });
    body.on('error', () => undefined);
    if (statusCode >= 200 && statusCode < 300) {
      const encoding = [headers['content-encoding'] ?? []].flat().join(',').trim().toLowerCase();
      const bytes = await readStart(body, MAX_BYTES);
      const text = encoding === '' || encoding === 'identity' ? bytes : await decodeStart(bytes, encoding);
      if (text === undefined)
        return { group: undefined, closed: unreadable(`Content-Encoding: ${encoding.slice(0, 100)}`) };
      return { group: new RobotsGroup(text.toString('utf8'), this.#options.agent) };
    }
    await body.dump({ limit: MAX_BYTES }).catch(() => undefined);
    const location = [headers.location ?? []].flat()[0];
    if (statusCode >= 300 && statusCode < 400) {
      const target = location === undefined ? null : URL.parse(location, url.href);
      return target === null || redirects === 0
        ? { group: undefined }
        : this.#fetch(target, guard, redirects - 1, signal);
    }
    if (statusCode < 500) return { group: undefined };
    const message = `${url.origin}/robots.txt: ${unreadable(`status ${statusCode}`)}`;
    return { group: undefined, failure: new AppError('robots_disallowed', message, { retryable: true }) };
  }
}

function unreadable(reason: string): string {
  return `cannot be read (${reason}), so nothing may be fetched`;
}

function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || error.name === 'HeadersTimeoutError' || error.name === 'BodyTimeoutError';
}

async function decodeStart(bytes: Buffer, encoding: string): Promise<Buffer | undefined> {
  // An empty body is valid with any encoding.
  if (bytes.length === 0) return bytes;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) return undefined;
  decoder.end(bytes);
  return readStart(decoder, MAX_BYTES).catch(() => undefined);
}
