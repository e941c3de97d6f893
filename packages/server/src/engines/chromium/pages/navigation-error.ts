import { AppError } from '../../../domain/shared/errors.ts';
import type { ErrorCode } from '@winnow/contract';

/** What Chromium's network errors mean here, the first matching row; everything else is `connect_failed`. */
const NETWORK_ERRORS: readonly { readonly error: RegExp; readonly code: ErrorCode; readonly meaning: string }[] = [
  { error: /^net::ERR_(?:CERT_|SSL_|BAD_SSL|ECH_)/, code: 'tls_failed', meaning: 'no secure connection' },
  { error: /^net::ERR_TOO_MANY_REDIRECTS/, code: 'too_many_redirects', meaning: 'too many redirects' },
  {
    error: /^net::ERR_(?:UNSAFE_PORT|UNSAFE_REDIRECT|DISALLOWED_URL_SCHEME|UNKNOWN_URL_SCHEME|ACCESS_DENIED|BLOCKED)/,
    code: 'egress_denied',
    meaning: 'a refused target',
  },
  { error: /^net::ERR_(?:TIMED_OUT|CONNECTION_TIMED_OUT)/, code: 'fetch_timeout', meaning: 'no answer in time' },
  { error: /^net::ERR_NAME_/, code: 'dns_failed', meaning: 'the host name could not be resolved' },
  {
    error: /^net::ERR_(?:OUT_OF_MEMORY|INSUFFICIENT_RESOURCES|FAILED|PROXY_CONNECTION_FAILED)/,
    code: 'render_failed',
    meaning: 'the browser gave up',
  },
  { error: /^net::ERR_CONTENT_DECODING/, code: 'unsupported_content', meaning: 'the body cannot be decoded' },
];

/** Turns the error text of a navigation into an error of the fetch stage. */
export function mapNavigationError(errorText: string, url: string): AppError {
  const row = NETWORK_ERRORS.find(({ error }) => error.test(errorText));
  const host = URL.parse(url)?.host ?? url;
  return new AppError(
    row?.code ?? 'connect_failed',
    `${host}: ${row?.meaning ?? 'no connection, or it broke off'} (${errorText})`,
  );
}

/**
 * Whether a request was given up because an address of the machine came or went, as with each container that starts on
 * it: Chromium trusts no connection after that, not even those to the lane, which have nothing to do with it.
 */
export function isNetworkChange(errorText: string): boolean {
  return errorText === 'net::ERR_NETWORK_CHANGED';
}

/**
 * Whether a navigation's error text may tell of the browser's own trouble: its network process was ended, so
 * that the way to the lane was lost, or its renderer, so that the navigation was given up.
 */
export function isBrowserTrouble(errorText: string): boolean {
  return /^net::ERR_(?:ABORTED|FAILED|PROXY_CONNECTION_FAILED)$/.test(errorText);
}
