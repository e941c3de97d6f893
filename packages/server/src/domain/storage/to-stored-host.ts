import { domainToASCII } from 'node:url';

/** Converts to Punycode: `müller.example` is `xn--mller-kva.example`. */
export function toStoredHost(host: string): string {
  const trimmed = host.trim();
  return domainToASCII(trimmed) || trimmed;
}
