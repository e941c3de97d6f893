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

export function isUnreadableHead(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'HTTPParserError') return !error.message.includes('Expected HTTP/');
  return HEAD_CODES.has((error as NodeJS.ErrnoException).code ?? '');
}
