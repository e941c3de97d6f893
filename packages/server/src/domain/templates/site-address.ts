import { type AddressParts, splitAddress } from '@winnow/extract/matching';
import { getDomain } from 'tldts';

export interface SiteAddress extends AddressParts {
  /** Registrable domain, or the host if it has none. */
  readonly domain: string;
  /** The host, then `.host` and its suffixes down to `.domain`. */
  readonly hostKeys: readonly string[];
}

/** Returns undefined unless the scheme is http or https. */
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

/** Returns the registrable domain, or the host without a leading dot. */
export function findDomain(host: string): string {
  const name = host.replace(/^\./, '').replace(/:\d+$/, '');
  return getDomain(name) ?? host.replace(/^\./, '');
}
