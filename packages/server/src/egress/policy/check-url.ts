import { AppError } from '../../domain/shared/errors.ts';
import type { EgressPolicy } from './egress-policy.ts';

/** With the root dot (RFC 1035). */
const MAX_HOST_NAME = 254;

/**
 * Checks a URL without resolving names; addresses are checked at connect time.
 * @throws {AppError} `url_not_allowed`
 */
export function checkUrl(url: URL, policy: EgressPolicy): void {
  const reason = findUrlFault(url, policy);
  if (reason) throw new AppError('url_not_allowed', reason);
}

export function findUrlFault(url: URL, policy: EgressPolicy): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `the URL has the scheme ${url.protocol.slice(0, -1)}; only http and https are allowed`;
  }
  if (url.username !== '' || url.password !== '') return 'the URL carries credentials';
  if (/^\.|\.\./.test(url.hostname)) return 'the host name has an empty label';
  if (url.hostname.length > MAX_HOST_NAME) return `the host name has more than ${MAX_HOST_NAME} characters`;
  const verdict = policy.check({ host: url.hostname, port: portOf(url) });
  return verdict.allowed ? undefined : verdict.reason;
}

/** What a request names of a URL. Unlike `search`, it keeps an empty query. */
export function requestPathOf({ href, pathname, search }: URL): string {
  const [path = ''] = href.split('#', 1);
  return pathname + (search === '' && path.endsWith('?') ? '?' : search);
}

export function portOf(url: Pick<URL, 'protocol' | 'port'>): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80;
}
