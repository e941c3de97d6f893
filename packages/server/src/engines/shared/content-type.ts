import { MIMEType } from 'node:util';
import type { DocumentFormat } from '../../domain/capture/documents.ts';

export interface ContentType {
  /** Lower case without parameters; null if absent. */
  readonly mediaType: string | null;
  readonly charset: string | undefined;
}

/** Splits at commas outside quotes. */
const LISTED = /(?:[^,"]|"(?:\\.|[^"\\])*"?)+/g;

/** Parses a header by the Fetch standard: the last valid type, with the charset of earlier equal types. */
export function readContentType(header: string | null | undefined): ContentType {
  let found: ContentType = { mediaType: null, charset: undefined };
  for (const [value] of (header ?? '').matchAll(LISTED)) {
    const type = parseMimeType(value);
    if (type === undefined || type.essence === '*/*') continue;
    const before = type.essence === found.mediaType ? found.charset : undefined;
    found = { mediaType: type.essence, charset: type.params.get('charset') ?? before };
  }
  return found;
}

function parseMimeType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}

const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
/** Also used for XHTML; the bytes decide. */
const XML_TYPES = new Set(['application/xml', 'text/xml']);
/** The bytes decide. */
const UNKNOWN_TYPES = new Set(['unknown/unknown', 'application/unknown']);

export type DocumentKind = 'html' | 'maybe' | 'other';

export function documentKindOf(mediaType: string | null): DocumentKind {
  if (mediaType === null || XML_TYPES.has(mediaType) || UNKNOWN_TYPES.has(mediaType)) return 'maybe';
  return HTML_TYPES.has(mediaType) ? 'html' : 'other';
}

const PDF_TYPES = new Set(['application/pdf', 'application/x-pdf']);
/** Generic types; the file name decides. */
const FILE_TYPES = new Set(['application/octet-stream', 'binary/octet-stream', 'application/force-download']);
const MARKDOWN_TYPES = new Set(['text/markdown', 'text/x-markdown']);
const JSON_TYPE = /^(?:application|text)\/(?:json|x-json|ndjson|x-ndjson|jsonl|[\w.+-]+\+json)$/;
const XML_TYPE = /^(?:(?:application|text)\/xml|application\/[\w.+-]+\+xml)$/;

/** Returns the format of a document other than HTML; its bytes are checked later. */
export function documentFormatOf(
  mediaType: string | null,
  { pathname }: Pick<URL, 'pathname'>,
): DocumentFormat | undefined {
  if (mediaType === null || FILE_TYPES.has(mediaType)) return /\.pdf$/i.test(pathname) ? 'pdf' : undefined;
  if (PDF_TYPES.has(mediaType)) return 'pdf';
  if (HTML_TYPES.has(mediaType)) return undefined;
  if (JSON_TYPE.test(mediaType)) return 'json';
  if (XML_TYPE.test(mediaType)) return 'xml';
  if (MARKDOWN_TYPES.has(mediaType)) return 'markdown';
  if (!mediaType.startsWith('text/')) return undefined;
  return /\.(?:md|markdown)$/i.test(pathname) ? 'markdown' : 'text';
}

/** Tests for a PDF, allowing some bytes before its header. */
export function looksLikePdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-');
}

/** Bytes that do not occur in text (MIME Sniffing standard, section 7.2). */
// oxlint-disable-next-line no-control-regex -- it matches control characters
const BINARY = /[\0-\x08\x0B\x0E-\x1A\x1C-\x1F]/;

/** Tests whether declared text is another kind of file. UTF-16 text contains zeros. */
export function looksBinary(bytes: Uint8Array): boolean {
  const opening = Buffer.from(bytes.subarray(0, 1445)).toString('latin1');
  return !/^(?:\u00FE\u00FF|\u00FF\u00FE)/.test(opening) && BINARY.test(opening);
}

export function isXmlType(mediaType: string | null): boolean {
  return mediaType?.endsWith('xml') ?? false;
}

/** MIME Sniffing standard, section 7.1. */
const HTML_OPENING =
  /^(?:\uFEFF|ï»¿)?\s*(?:<!--|<\?xml[^>]*\?>\s*(?:<!DOCTYPE html|<html)|<(?:!DOCTYPE html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link)[\s>/])/i;
const XHTML_ROOT = /<html[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;

/** Tests for HTML or XHTML; an empty body counts as HTML. */
export function looksLikeHtml(bytes: Uint8Array, mediaType: string | null): boolean {
  const opening = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (mediaType !== null && XML_TYPES.has(mediaType)) return XHTML_ROOT.test(opening);
  // UTF-16 has a zero in every other byte.
  return bytes.length === 0 || HTML_OPENING.test(opening.replaceAll('\0', '').replace(/^(?:ÿþ|þÿ)/, ''));
}

/** PDF, images and archives (MIME Sniffing standard, sections 6 and 7.1), also inside Chromium's page for text. */
const FILE_OPENING =
  // oxlint-disable-next-line no-control-regex -- files begin with control characters
  /^(?:<html><head><\/head><body>)?(?:%PDF-\d|[^\0-\x7f]PNG\r?\n\x1a|GIF8[79]a|[^\0-\x7f]{4}[^]{1,2}(?:JFIF|Exif)|PK\x03\x04)/;

export function isMislabelled(html: string): boolean {
  return FILE_OPENING.test(html);
}

/** Chromium's tree view of other XML. */
const XML_TREE = /<head><style id="xml-viewer-style">/;

export function isDocumentShown(html: string, mediaType: string | null): boolean {
  if (mediaType === null || !XML_TYPES.has(mediaType)) return true;
  const opening = html.slice(0, 1024);
  return XHTML_ROOT.test(opening) && !XML_TREE.test(opening);
}
