import { AppError } from '../../../domain/shared/errors.ts';
import type { ErrorCode } from '@winnow/contract';

/** By first match; all others are `connect_failed`. */
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

export function mapNavigationError(errorText: string, url: string): AppError {
  const row = NETWORK_ERRORS.find(({ error }) => error.test(errorText));
  const host = URL.parse(url)?.host ?? url;
  return new AppError(
    row?.code ?? 'connect_failed',
    `${host}: ${row?.meaning ?? 'no connection, or it broke off'} (${errorText})`,
  );
}

/** A page that ends before its declared length or its last chunk: browsers drop what they have not parsed yet. */
export class BrokenOffPage extends AppError {
  override readonly name = 'BrokenOffPage';

  constructor(errorText: string, host: string) {
    super('connect_failed', `the connection to ${host} broke off (${errorText})`);
  }
}

export function isBrokenOff(errorText: string): boolean {
  return /^net::ERR_(?:CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_(?:RESET|CLOSED))$/.test(
    errorText,
  );
}

/** Chromium drops all connections when the machine's addresses change, for example when a container starts. */
export function isNetworkChange(errorText: string): boolean {
  return errorText === 'net::ERR_NETWORK_CHANGED';
}

/** Possible signs of a dead network process or renderer. */
export function isBrowserFailure(errorText: string): boolean {
  return /^net::ERR_(?:ABORTED|FAILED|PROXY_CONNECTION_FAILED)$/.test(errorText);
}
