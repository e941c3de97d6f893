import { getDomain } from 'tldts';

/**
 * Returns the site of a host: its registrable domain by the Public Suffix List with its private part, so that the customers
 * of a hosting service are sites of their own. A host without one (an address, a local name) is a site by itself.
 */
export function siteOf(hostname: string): string {
  // `example.com.` is `example.com` in full.
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/**
 * Returns whether what is meant for the target may go to a URL: it is of the same site, and the connection is no less
 * protected.
 */
export function isOfTarget(target: URL, url: URL): boolean {
  if (target.protocol === 'https:' && url.protocol !== 'https:' && url.protocol !== 'wss:') return false;
  return siteOf(target.hostname) === siteOf(url.hostname);
}
