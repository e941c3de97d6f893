import { type AddressParts, splitAddress } from '@winnow/extract/matching';
import { getDomain } from 'tldts';

/** Where a page stands among sites. */
export interface SiteAddress extends AddressParts {
  /** Registrable domain by the Public Suffix List; the host itself where it has none (addresses, local names). */
  readonly domain: string;
  /** What a template may name to be found for the page: the host, and the suffixes from it up to the domain. */
  readonly hostKeys: readonly string[];
}

/** Undefined for an address that is not http or https. */
export function locateSite(url: string): SiteAddress | undefined {
  const parts = splitAddress(url);
  if (parts === undefined) return undefined;
  const { host } = parts;
  const domain = findDomain(host);
  const keys = [host, `.${host}`];
  for (let rest = host; rest.length > domain.length && rest.includes('.');) {
    rest = rest.slice(rest.indexOf('.') + 1);
    if (rest.length >= domain.length) keys.push(`.${rest}`);
  }
  return { ...parts, domain, hostKeys: keys };
}

/** Registrable domain of a host name, or of a suffix that begins with a dot. */
export function findDomain(host: string): string {
  const name = host.replace(/^\./, '').replace(/:\d+$/, '');
  return getDomain(name) ?? host.replace(/^\./, '');
}
