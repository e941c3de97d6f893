import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { RobotsRules } from '../domain/batches/batch-ports.ts';
import type { ProjectEgress } from '../domain/capture/capture-ports.ts';
import { readStart } from '../domain/shared/byte-collector.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { Egress, EgressGuard } from '../egress/egress.ts';
import { mapHttpError } from '../egress/dialing/map-error.ts';
import { requestFile } from './request-file.ts';

interface RobotsOptions {
  readonly egress: Pick<Egress, 'guard'>;
  readonly userAgent: string;
  readonly agent: string;
  readonly now?: () => number;
  /** Of all cached files. Default 64 MiB. */
  readonly maxBytes?: number;
}

/** RFC 9309, 2.5. */
const MAX_BYTES = 512 * 1024;

/** For a file and its redirects. */
const TIMEOUT_MS = 10_000;

/** RFC 9309, 2.4: at most a day. Failures are retried soon. */
const LIFETIME_MS = 60 * 60 * 1000;
const FAILURE_LIFETIME_MS = 60 * 1000;
const MAX_ORIGINS = 5000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** The cache requires sizes above 0. */
const LEAST_SIZE = 1;

/** By `Content-Encoding`. Some servers compress unasked. */
export const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
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

  async delayMs(url: URL, signal: AbortSignal, project?: ProjectEgress): Promise<number> {
    signal.throwIfAborted();
    return (await this.#rulesOf(url.origin, this.#options.egress.guard(project))).group?.delayMs ?? 0;
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
      return await this.#fetch(url, guard);
    } catch (error) {
      const { code, message } = isTimeout(error)
        ? new AppError('fetch_timeout', `no answer within ${TIMEOUT_MS} ms`)
        : mapHttpError(error, url);
      return { group: undefined, failure: new AppError(code, `${url.href}: ${message}`, { cause: error }) };
    }
  }

  async #fetch(robotsUrl: URL, guard: EgressGuard): Promise<Rules> {
    const { url, statusCode, coding, body } = await requestFile(robotsUrl, {
      guard,
      headers: {
        'user-agent': this.#options.userAgent,
        accept: 'text/plain,*/*;q=0.5',
        // Otherwise any encoding would be acceptable (RFC 9110, 12.5.3).
        'accept-encoding': 'identity',
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      refuse: (fault, _url, isRedirected) =>
        isRedirected
          ? new AppError('egress_denied', `redirected to a refused target: ${fault}`)
          : new AppError('url_not_allowed', fault),
    });
    if (statusCode >= 200 && statusCode < 300) {
      const bytes = await readStart(body, MAX_BYTES);
      const text = coding === '' || coding === 'identity' ? bytes : await decodeStart(bytes, coding);
      if (text === undefined)
        return { group: undefined, closed: unreadable(`Content-Encoding: ${coding.slice(0, 100)}`) };
      return { group: new RobotsGroup(text.toString('utf8'), this.#options.agent) };
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

/** Parses and matches robots.txt by RFC 9309, with bounded time. */

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
  /** The pattern ended with `$`. */
  readonly isWhole: boolean;
}

/** 512 KiB can hold 50,000, which take 100 ms to sort. */
const MAX_RULES = 10_000;

/** Characters of wildcard rules × characters of the path. `indexOf` takes at most 0.4 ns for each: 20 ms. */
const MAX_STEPS = 50_000_000;

/** Added for each wildcard rule: even a search for a short part takes that long. */
const EXTRA_CHARACTERS = 40;

const RULE_BYTES = 100;

/**
 * Matches the rules for one robot in bounded time and linear memory, unlike existing libraries. Above `MAX_RULES` the
 * whole site is refused, above `MAX_STEPS` the URL.
 */
export class RobotsGroup {
  readonly #rules: readonly Rule[];
  readonly #wildcardCharacters: number;
  readonly bytes: number;
  /** Not in RFC 9309, but common: least milliseconds between two requests. */
  readonly delayMs: number;

  constructor(text: string, agent: string) {
    const { rules, delayMs } = readRules(text, agent);
    this.#rules = rules.toSorted(byPrecedence);
    this.delayMs = delayMs;
    this.#wildcardCharacters = this.#rules
      .filter(({ pattern }) => pattern.includes('*'))
      .reduce((sum, { pattern }) => sum + EXTRA_CHARACTERS + pattern.length, 0);
    // The whole text counts: patterns may be slices of it.
    this.bytes = text.length + this.#rules.length * RULE_BYTES;
  }

  refusal(url: URL): string | undefined {
    if (this.#rules.length > MAX_RULES) return 'it has too many rules';
    // Asterisks are special in rules (RFC 9309, 2.2.3).
    const path = normalize(url.pathname + url.search).replaceAll('*', '%2A');
    if (this.#wildcardCharacters * path.length > MAX_STEPS) return 'it has too many rules for an address this long';
    const rule = this.#rules.find((each) => matches(each, path));
    return rule === undefined || rule.allow ? undefined : 'the page is disallowed';
  }
}

/** RFC 9309, 2.2.2: the rule with the most octets wins; of equal ones, the allowing rule. */
function byPrecedence(one: Rule, other: Rule): number {
  return countOctets(other) - countOctets(one) || Number(other.allow) - Number(one.allow);
}

function countOctets({ pattern, isWhole }: Rule): number {
  return pattern.length + Number(isWhole);
}

const LINE = /^[ \t\uFEFF]*(user-agent|allow|disallow|crawl-delay)[ \t]*:([^\r\n#]*)/gim;

/**
 * RFC 9309, 2.2.1: merges all groups naming the robot, or else those for `*`. Other lines (2.2.4) do not end a group.
 */
function readRules(text: string, agent: string): { readonly rules: Rule[]; readonly delayMs: number } {
  const own = { named: false, current: false, rules: [] as Rule[], delayMs: 0 };
  const all = { current: false, rules: [] as Rule[], delayMs: 0 };
  const name = normalizeAgent(agent);
  let namesRobots = false;
  for (const [, key = '', value = ''] of text.matchAll(LINE)) {
    if (key.toLowerCase() === 'user-agent') {
      if (!namesRobots) own.current = all.current = false;
      namesRobots = true;
      const robot = normalizeAgent(value);
      if (robot === name) own.named = own.current = true;
      if (robot === '*') all.current = true;
      continue;
    }
    if (key.toLowerCase() === 'crawl-delay') {
      const delayMs = readSeconds(value);
      for (const group of [own, all]) if (group.current) group.delayMs = Math.max(group.delayMs, delayMs);
      continue;
    }
    namesRobots = false;
    const groups = [own, all].filter(({ current, rules }) => current && rules.length <= MAX_RULES);
    const pattern = value.trim();
    if (pattern === '' || groups.length === 0) continue;
    const rule = toRule(key.toLowerCase() === 'allow', pattern);
    for (const { rules } of groups) rules.push(rule);
  }
  return own.named ? own : all;
}

/** Returns 0 for what is no number of seconds; may be infinite. */
function readSeconds(value: string): number {
  const text = value.trim();
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : 0;
}

function normalizeAgent(name: string): string {
  const [product = ''] = name.toLowerCase().split('/', 1);
  return product.trim();
}

function toRule(allow: boolean, value: string): Rule {
  const isWhole = value.endsWith('$');
  const pattern = normalize(isWhole ? value.slice(0, -1) : value).replaceAll(/\*{2,}/g, '*');
  return { allow, pattern, isWhole };
}

/** Escapes, and characters that RFC 3986 excludes. */
const ESCAPES = /%[0-9A-Fa-f]{2}|[^\w.~:/?#[\]@!$&'()*+,;=%-]+/g;

/** The unreserved characters, and `$`, which is special only at the end of a rule. */
const UNESCAPED = /[\w.~$-]/;

/** RFC 9309, 2.2.2: decodes needless escapes and escapes invalid URL characters. */
function normalize(text: string): string {
  return text.toWellFormed().replaceAll(ESCAPES, (found) => {
    if (!found.startsWith('%')) return encodeURIComponent(found);
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return UNESCAPED.test(character) ? character : found.toUpperCase();
  });
}

/** The first occurrence of each part leaves the longest rest. */
function matches({ pattern, isWhole }: Rule, path: string): boolean {
  let star = pattern.indexOf('*');
  if (star === -1) return isWhole ? path === pattern : path.startsWith(pattern);
  if (!path.startsWith(pattern.slice(0, star))) return false;
  let from = star;
  for (let next = pattern.indexOf('*', star + 1); next !== -1; next = pattern.indexOf('*', star + 1)) {
    const part = pattern.slice(star + 1, next);
    const found = path.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
    star = next;
  }
  const last = pattern.slice(star + 1);
  if (isWhole) return path.length - from >= last.length && path.endsWith(last);
  return path.indexOf(last, from) !== -1;
}
