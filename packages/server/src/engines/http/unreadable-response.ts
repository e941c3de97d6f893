import { AppError } from '../../domain/shared/errors.ts';

/** A response that came and that this client cannot read; one that forgives more, such as a browser, may. */
export class UnreadableResponse extends AppError {
  override readonly name = 'UnreadableResponse';
}

/** How undici fails on heads that it cannot read; lengths that do not match the body are what it makes of several. */
const HEAD_CODES = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Whether a failure to get the head of a response means that there is one, of HTTP all the same. */
export function isUnreadableHead(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'HTTPParserError') return !error.message.includes('Expected HTTP/');
  return HEAD_CODES.has((error as NodeJS.ErrnoException).code ?? '');
}
