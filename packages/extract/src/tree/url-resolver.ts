import { memoize } from './memoize.ts';

/**
 * Resolves addresses like `new URL(href, base)`, but joins strings when the URL parser would change nothing (nearly
 * always).
 */
export interface UrlResolver {
  /** Absolute http(s) address without credentials; null for other schemes and broken or empty addresses. */
  resolve(href: string): string | null;
  readonly page: string | null;
  /** Whether an absolute address has the page's host, or one host is a subdomain of the other. */
  isInternal(url: string): boolean;
}

/** Longer addresses are dropped. */
const MAX_URL_LENGTH = 8_192;
const MAX_CACHE = 20_000;

const PLAIN_ABSOLUTE = /^https?:\/\/(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}\/[\w\-./~%!$&()*+,;=:@?#]*$/;
/** A path, query and fragment that the URL parser appends unchanged. */
const PLAIN_PATH = /^[\w\-./~%!$&()*+,;=:@?#]*$/;
const DOT_SEGMENT = /\/\.|^\.|%2e|\/xn--|\.xn--/i;
// oxlint-disable-next-line no-control-regex -- removes control characters
const EDGE_SPACE = /^[\u0000-\u0020]+|(?<![\u0000-\u0020])[\u0000-\u0020]+$|[\t\n\r]/g;

/** `base` is the content of `<base href>`, possibly relative to the page's address. */
export function createUrlResolver(pageUrl: string | undefined, base: string | null): UrlResolver {
  const page = parseUrl(pageUrl ?? '', undefined);
  const start = (base === null ? null : parseUrl(base, page ?? undefined)) ?? page;
  const origin = start === null ? null : `${start.protocol}//${start.host}`;
  const folder = start === null ? null : origin + start.pathname.slice(0, start.pathname.lastIndexOf('/') + 1);
  const site = stripWww((page ?? start)?.hostname ?? '');
  const resolveOdd = memoize(resolveFully, MAX_CACHE);
  const isInternalHost = memoize((host) => isSameSite(stripWww(host.replace(/:\d+$/, '')), site), MAX_CACHE);
  const home = origin === null ? null : `${origin}/`;
  const isHomeInternal = start !== null && isInternalHost(start.host);
  if (page?.href.includes('#') === true) page.hash = '';
  return { resolve, page: page?.href ?? null, isInternal };

  function resolve(raw: string): string | null {
    return raw.length > MAX_URL_LENGTH ? null : (resolvePlain(raw) ?? resolveOdd(raw));
  }

  function resolvePlain(raw: string): string | null {
    if (raw === '' || DOT_SEGMENT.test(raw)) return null;
    const first = raw.charCodeAt(0);
    if (first === 0x68 /* h */ && PLAIN_ABSOLUTE.test(raw)) return raw;
    if (origin === null || !PLAIN_PATH.test(raw)) return null;
    if (first === 0x2f /* / */) return raw.charCodeAt(1) === 0x2f ? null : origin + raw;
    if (first === 0x3f /* ? */ || first === 0x23 /* # */ || raw.includes(':') || raw.includes('//')) return null;
    return folder + raw;
  }

  function resolveFully(raw: string): string | null {
    const href = raw.replace(EDGE_SPACE, '');
    if (href === '') return null;
    const url = parseUrl(href, start ?? undefined);
    return url === null ? null : url.href;
  }

  function isInternal(url: string): boolean {
    if (home !== null && url.startsWith(home)) return isHomeInternal;
    const from = url.indexOf('//') + 2;
    const slash = url.indexOf('/', from);
    return isInternalHost(url.slice(from, slash < 0 ? undefined : slash));
  }
}

/** An http(s) URL without credentials, or null. */
function parseUrl(text: string, base: URL | undefined): URL | null {
  if (text.length > MAX_URL_LENGTH) return null;
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  // Each setter rewrites the whole address.
  if (url.username !== '') url.username = '';
  if (url.password !== '') url.password = '';
  return url;
}

function isSameSite(host: string, site: string): boolean {
  if (site === '' || host === '') return false;
  return host === site || host.endsWith(`.${site}`) || site.endsWith(`.${host}`);
}

function stripWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}
