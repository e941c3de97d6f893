import { getDomain } from 'tldts';
import { AppError } from '../shared/errors.ts';
import type { RequestCookie } from '@winnow/contract';
import type { CaptureCookie } from './page-options.ts';
import { siteOf } from './target-site.ts';

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
    return hasSubdomains(site) ? { name, value, domain, path, secure } : { name, value, path, secure };
  });
}

function parseDomain(given: string): string | undefined {
  const host = URL.parse(`http://${given.replace(/^\./, '')}/`);
  if (host === null || host.port !== '' || host.username !== '' || host.pathname !== '/') return undefined;
  return host.hostname;
}

function hasSubdomains(site: string): boolean {
  return getDomain(site, { allowPrivateDomains: true }) !== null;
}
