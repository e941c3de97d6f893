import { AppError } from '../../domain/shared/errors.ts';

/** A received document that no engine can convert to a page. */
export class UnreadableDocument extends AppError {
  override readonly name = 'UnreadableDocument';
}

/** A more tolerant client, such as a browser, may read it. */
export class UnreadableResponse extends AppError {
  override readonly name = 'UnreadableResponse';
}

/** Several `Content-Length` headers lead to a mismatch. */
const HEAD_CODES = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/**
 * Of connections that a browser may make: it fetches missing certificates of a chain, and speaks HTTP/2. It checks the
 * chain like this client.
 */
const TLS_CODES = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
]);

export function isIncompleteTls(error: unknown): boolean {
  return TLS_CODES.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Tests for a head or body that is not as HTTP wants it. */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'HTTPParserError') return !error.message.includes('Expected HTTP/');
  return HEAD_CODES.has((error as NodeJS.ErrnoException).code ?? '');
}
