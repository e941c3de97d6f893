import { MIMEType } from 'node:util';

export interface ContentType {
  /** Lower case, without parameters; null when the header says none. */
  readonly mediaType: string | null;
  /** The charset parameter. */
  readonly charset: string | undefined;
}

/** Values between commas; a comma in quotes belongs to its value. */
const LISTED = /(?:[^,"]|"(?:\\.|[^"\\])*"?)+/g;

/**
 * Reads a Content-Type header, repeats joined by commas, as the Fetch standard extracts a MIME type from it: the last
 * type that can be read counts, with the charset of those before it that were of the same type.
 */
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
/** Types under which XHTML is served too; the bytes decide. */
const XML_TYPES = new Set(['application/xml', 'text/xml']);
/** Types that say nothing: the bytes decide. */
const UNKNOWN_TYPES = new Set(['unknown/unknown', 'application/unknown']);

export type DocumentKind = 'html' | 'maybe' | 'other';

/** What a media type promises: a document, nothing (look at the bytes), or something else. */
export function documentKindOf(mediaType: string | null): DocumentKind {
  if (mediaType === null || XML_TYPES.has(mediaType) || UNKNOWN_TYPES.has(mediaType)) return 'maybe';
  return HTML_TYPES.has(mediaType) ? 'html' : 'other';
}

/** Whether documents of a media type are read as XML: XHTML. */
export function isXmlType(mediaType: string | null): boolean {
  return mediaType?.endsWith('xml') ?? false;
}

/** First tags by which the MIME Sniffing standard (section 7.1) knows an HTML document. */
const HTML_OPENING =
  /^(?:\uFEFF|ï»¿)?\s*(?:<!--|<\?xml[^>]*\?>\s*(?:<!DOCTYPE html|<html)|<(?:!DOCTYPE html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link)[\s>/])/i;
const XHTML_ROOT = /<html[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;

/** Whether bytes of an undeclared or XML type are an HTML or XHTML document. An empty body counts as one. */
export function looksLikeHtml(bytes: Uint8Array, mediaType: string | null): boolean {
  const opening = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  if (mediaType !== null && XML_TYPES.has(mediaType)) return XHTML_ROOT.test(opening);
  // A UTF-16 document has a zero in every other byte.
  return bytes.length === 0 || HTML_OPENING.test(opening.replaceAll('\0', '').replace(/^(?:ÿþ|þÿ)/, ''));
}

/**
 * How PDF, images and archives begin (MIME Sniffing standard, sections 6 and 7.1), once they are read as text, in Chromium
 * inside the page that it makes of text.
 */
const FILE_OPENING =
  // oxlint-disable-next-line no-control-regex -- files begin with control characters
  /^(?:<html><head><\/head><body>)?(?:%PDF-\d|[^\0-\x7f]PNG\r?\n\x1a|GIF8[79]a|[^\0-\x7f]{4}[^]{1,2}(?:JFIF|Exif)|PK\x03\x04)/;

/** Whether what was declared to be HTML is a file of another kind. */
export function isMislabelled(html: string): boolean {
  return FILE_OPENING.test(html);
}

/** How Chromium begins the page in which it shows XML that is no XHTML as a tree. */
const XML_TREE = /<head><style id="xml-viewer-style">/;

/** The same of a document that Chromium has written out: XML of any other kind it shows as a tree of its own making. */
export function isDocumentShown(html: string, mediaType: string | null): boolean {
  if (mediaType === null || !XML_TYPES.has(mediaType)) return true;
  const opening = html.slice(0, 1024);
  return XHTML_ROOT.test(opening) && !XML_TREE.test(opening);
}
