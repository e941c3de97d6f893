import { createHash } from 'node:crypto';
import type { ShapeBound } from './crawl-ports.ts';

/** Names of queries that say where a visitor came from, or who it is. */
const TRACKING =
  /^(?:utm_\w*|gclid|dclid|gbraid|wbraid|gclsrc|fbclid|msclkid|twclid|ttclid|yclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|session_?id)$/i;
/** A session only with a value like one. */
const SESSION = /^(?:sid|s|session|zenid|oscsid)$/i;
const SESSION_VALUE = /^[\da-z]{20,}$/i;
const PATH_SESSION = /;jsessionid=[^/]*/gi;

const MAX_LENGTH = 2000;
const MAX_SEGMENTS = 20;
const MAX_REPEATS = 2;
const MAX_QUERY_NAMES = 8;

/** Pages whose paths differ in numbers only: the threads of a large forum are many, but a counter may never end. */
const MOST_OF_PATH = 50_000;
/** The same with a month or a day in the path: calendars go on for ever. */
const MOST_OF_DATES = 5000;
const DATE = /\b(?:19|20)\d\d[-/_.](?:0?[1-9]|1[0-2])\b/;
/** Pages with the same path. */
const MOST_OF_QUERY = 5000;
/** Pages with the same path and the same names in the query. */
const MOST_OF_NAMES = 1000;

/** Returns the address without fragment, tracking and session; undefined unless it is one of the web without a password. */
export function cleanAddress(address: string, base?: string): URL | undefined {
  const url = URL.parse(address, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  if (url.pathname.includes(';')) url.pathname = url.pathname.replaceAll(PATH_SESSION, '');
  const kept = listQuery(url).filter((part) => !isNoise(part));
  if (kept.length < listQuery(url).length) url.search = kept.join('&');
  // A lone question mark.
  if (kept.length === 0) url.search = '';
  return url;
}

/** With `www.` or without it is the same host. */
export function hostOf({ host }: URL): string {
  return host.replace(/^www\./, '');
}

/** Returns a key that is equal for both schemes, with or without `www.`, with or without a slash at the end, and in any order of the query. */
export function keyOf(url: URL): string {
  return hash(`page ${hostOf(url)}${withoutSlash(url.pathname)}?${listQuery(url).toSorted().join('&')}`);
}

/** Returns the bounds that the page of an address counts against. */
export function shapesOf(url: URL): ShapeBound[] {
  const path = hostOf(url) + withoutSlash(url.pathname);
  const general = path.toLowerCase().replaceAll(/[\da-f]{8,}|\d+/g, '0');
  const names = namesOf(url).join('&');
  const shapes: ShapeBound[] = [];
  if (general.includes('0'))
    shapes.push({ key: hash(`path ${general}`), most: DATE.test(path) ? MOST_OF_DATES : MOST_OF_PATH });
  if (names !== '') {
    shapes.push({ key: hash(`query ${path}`), most: MOST_OF_QUERY });
    shapes.push({ key: hash(`names ${path}?${names}`), most: MOST_OF_NAMES });
  }
  return shapes;
}

/** Tests for addresses that only a trap has: very long or deep ones, and ones that repeat themselves. */
export function isTrap(url: URL): boolean {
  const segments = url.pathname.split('/').filter(Boolean);
  if (url.href.length > MAX_LENGTH || segments.length > MAX_SEGMENTS) return true;
  if (namesOf(url).length > MAX_QUERY_NAMES) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts].some(([segment, count]) => count > MAX_REPEATS && !/^\d+$/.test(segment));
}

function namesOf(url: URL): string[] {
  return [...new Set(listQuery(url).map((part) => part.split('=', 1)[0] ?? ''))].toSorted();
}

function listQuery({ search }: URL): string[] {
  return search.slice(1).split('&').filter(Boolean);
}

function isNoise(part: string): boolean {
  const at = part.indexOf('=');
  const name = at === -1 ? part : part.slice(0, at);
  return TRACKING.test(name) || (SESSION.test(name) && SESSION_VALUE.test(part.slice(at + 1)));
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 20);
}
