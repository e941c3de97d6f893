import { domainToASCII } from 'node:url';

/** Writes a host as snapshots and the request log have it: `müller.example` is `xn--mller-kva.example`. */
export function toStoredHost(host: string): string {
  const trimmed = host.trim();
  return domainToASCII(trimmed) || trimmed;
}
