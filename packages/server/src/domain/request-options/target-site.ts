import { getDomain } from 'tldts';

/**
 * Returns the registrable domain by the Public Suffix List with its private part, so that customers of a hosting
 * service are separate sites; otherwise the host.
 */
export function siteOf(hostname: string): string {
  // `example.com.` equals `example.com`.
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/** True for the same site; an HTTPS target requires HTTPS or WSS. */
export function isOfTarget(target: URL, url: URL): boolean {
  if (target.protocol === 'https:' && url.protocol !== 'https:' && url.protocol !== 'wss:') return false;
  return siteOf(target.hostname) === siteOf(url.hostname);
}
