import type { StageBudget } from '../shared/ports.ts';

/** Formats other than HTML. */
export type DocumentFormat = 'pdf' | 'markdown' | 'text' | 'json' | 'xml';

export interface DocumentSource {
  readonly format: DocumentFormat;
  /** Bytes of a PDF, decoded text of other formats. */
  readonly content: Uint8Array | string;
  /** Default title. */
  readonly fileName: string;
}

export interface DocumentConverter {
  /**
   * Returns the document as HTML.
   * @throws {AppError} `unsupported_content` for broken, encrypted or scanned files, `response_too_large`,
   *   `fetch_timeout`, `overloaded`
   */
  convert(source: DocumentSource, budget: StageBudget): Promise<string>;
}

/** Attribute of the root element with the document's format. */
export const DOCUMENT_ATTRIBUTE = 'data-winnow-document';

const DOCUMENT_START = `<!doctype html>\n<html ${DOCUMENT_ATTRIBUTE}="`;

/** Tests for a converted document. Templates exclude it, since it resembles no other page of its site. */
export function isDocumentPage(html: string): boolean {
  return html.startsWith(DOCUMENT_START);
}
