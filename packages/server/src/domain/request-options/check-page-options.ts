import { checkElementSelector, findSelectorFault } from '@winnow/extract/matching';
import { getDomain } from 'tldts';
import type { RequestCookie } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';
import { pickCaptureOptions, type CaptureOptions, type PageOptions, type CaptureCookie } from './page-options.ts';
import { siteOf } from './target-site.ts';

export interface OfferedOptions {
  /** Upstream proxies that requests may choose. */
  readonly requestProxies: ReadonlySet<string>;
}

/**
 * Returns the capture options for the target.
 * @param field JSON path for the message
 * @throws {AppError} `invalid_request`
 */
export function checkPageOptions(
  options: PageOptions,
  target: URL,
  field: string,
  offered: OfferedOptions,
): CaptureOptions {
  checkOffered(options, field, offered);
  const { cookies, ...capture } = pickCaptureOptions(options);
  return { ...capture, ...(cookies === undefined ? {} : { cookies: checkCookies(cookies, target, field) }) };
}

/**
 * Checks the options that need no target.
 * @throws {AppError} `invalid_request`
 */
export function checkOffered(options: PageOptions, field: string, offered: OfferedOptions): void {
  checkProxy(options.proxy, field, offered);
  checkSelectors(options.include_tags, `${field}.include_tags`);
  checkSelectors(options.exclude_tags, `${field}.exclude_tags`);
  checkWaitFor(options.wait_for, field);
}

function checkProxy(name: string | undefined, field: string, { requestProxies }: OfferedOptions): void {
  if (name === undefined || requestProxies.has(name)) return;
  const offer =
    requestProxies.size === 0
      ? 'this deployment offers none; its operator names them in WINNOW_REQUEST_PROXIES'
      : `must be one of ${[...requestProxies].join(', ')} (WINNOW_REQUEST_PROXIES)`;
  throw new AppError('invalid_request', `${field}.proxy: ${offer}`);
}

function checkSelectors(selectors: readonly string[] | undefined, field: string): void {
  for (const [index, selector] of (selectors ?? []).entries()) {
    try {
      checkElementSelector(selector);
    } catch (error) {
      const fault =
        error instanceof Error ? error.message.slice(0, MAX_FAULT_LENGTH).toWellFormed() : 'it cannot be read';
      throw new AppError('invalid_request', `${field}[${index}]: is not a CSS selector for a stored page: ${fault}`);
    }
  }
}

const MAX_FAULT_LENGTH = 200;

function checkWaitFor(waitFor: string | number | undefined, field: string): void {
  if (typeof waitFor !== 'string') return;
  const fault = findSelectorFault(waitFor);
  if (fault !== undefined) throw new AppError('invalid_request', `${field}.wait_for: is not a CSS selector: ${fault}`);
}

/**
 * Returns the cookies for the target.
 * @param field JSON path for the message
 * @throws {AppError} `invalid_request` for a cookie of another registrable domain
 */
export function checkCookies(cookies: readonly RequestCookie[], target: URL, field: string): CaptureCookie[] {
  const site = siteOf(target.hostname);
  return cookies.map(({ name, value, domain: given, path = '/', secure = target.protocol === 'https:' }, index) => {
    if (given === undefined) return { name, value, path, secure };
    const where = `${field}.cookies[${index}].domain`;
    const domain = parseDomain(given);
    if (domain === undefined) throw new AppError('invalid_request', `${where}: is not the name of a host`);
    if (siteOf(domain) !== site)
      throw new AppError('invalid_request', `${where}: ${domain} is not of ${site}, the site of the target`);
    // Addresses, local names and public suffixes have no subdomains of the same site.
    const hasSubdomains = getDomain(site, { allowPrivateDomains: true }) !== null;
    return hasSubdomains ? { name, value, domain, path, secure } : { name, value, path, secure };
  });
}

function parseDomain(given: string): string | undefined {
  const host = URL.parse(`http://${given.replace(/^\./, '')}/`);
  if (host === null || host.port !== '' || host.username !== '' || host.pathname !== '/') return undefined;
  return host.hostname;
}
