import type { StageBudget } from '../shared/ports.ts';

/** What a page is made of that is no HTML. */
export type DocumentFormat = 'pdf' | 'markdown' | 'text' | 'json' | 'xml';

export interface DocumentSource {
  readonly format: DocumentFormat;
  /** The bytes of a PDF, the decoded text of everything else. */
  readonly content: Uint8Array | string;
  /** For the title of a document that states none. */
  readonly fileName: string;
}

/** Makes pages of documents. */
export interface DocumentConverter {
  /**
   * The document as HTML.
   * @throws {AppError} `unsupported_content` for files that are broken, encrypted or scanned, `response_too_large` for those
   * that are too large or unfold to too much, `fetch_timeout`, `overloaded`
   */
  convert(source: DocumentSource, budget: StageBudget): Promise<string>;
}

/** Attribute of the root of a page that was made of a document: its format. */
export const DOCUMENT_ATTRIBUTE = 'data-winnow-document';

const DOCUMENT_START = `<!doctype html>\n<html ${DOCUMENT_ATTRIBUTE}="`;

/** Whether a page was made of a document: it is like no other page of its site, and no template is learned from it. */
export function isDocumentPage(html: string): boolean {
  return html.startsWith(DOCUMENT_START);
}
