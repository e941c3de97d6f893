import { AppError } from '../../domain/shared/errors.ts';
import type { DocumentConverter, DocumentFormat } from '../../domain/capture/capture-ports.ts';
import type { Deadline } from '../shared/deadline.ts';
import { decodeDocument } from './decode-document.ts';
import { UnreadableDocument } from './unreadable-document.ts';

export interface BodyToConvert {
  readonly format: DocumentFormat;
  /** The charset parameter of the Content-Type header. */
  readonly label: string | undefined;
  readonly fileName: string;
  readonly deadline: Deadline;
  readonly converter: DocumentConverter;
}

/**
 * Converts the body of a document to a page.
 * @throws {UnreadableDocument} with the codes of {@link DocumentConverter}
 */
export async function convertBody(
  bytes: Buffer,
  { format, label, fileName, deadline, converter }: BodyToConvert,
): Promise<{ readonly html: string; readonly charset: string | null }> {
  const decoded = format === 'pdf' ? undefined : await decodeDocument(bytes, { label, isXml: format === 'xml' });
  const source = { format, content: decoded?.text ?? bytes, fileName };
  const budget = { timeoutMs: Math.max(1, deadline.remainingMs()), signal: deadline.signal };
  try {
    return { html: await deadline.race(converter.convert(source, budget)), charset: decoded?.charset ?? null };
  } catch (error) {
    if (!(error instanceof AppError) || error === deadline.signal.reason) throw error;
    const { code, message, stage, retryable, retryAfterSeconds } = error;
    const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    throw new UnreadableDocument(code, message, { stage, retryable, cause: error, ...wait });
  }
}
