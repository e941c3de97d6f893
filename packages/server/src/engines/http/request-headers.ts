import type { RequestIdentity } from '../shared/request-identity.ts';

/** Returns a browser's navigation headers, in its order. */
export function navigationHeaders({ userAgent, acceptLanguage }: RequestIdentity): Record<string, string> {
  return {
    'upgrade-insecure-requests': '1',
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-user': '?1',
    'sec-fetch-dest': 'document',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': acceptLanguage,
  };
}
