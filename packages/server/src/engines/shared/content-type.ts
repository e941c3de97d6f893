import { MIMEType } from 'node:util';
import type { DocumentFormat } from '../../domain/capture/capture-ports.ts';

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

/** What a browser makes of a type. */
export function documentKindOf(mediaType: string | null): DocumentKind {
  if (mediaType === null || XML_TYPES.has(mediaType) || UNKNOWN_TYPES.has(mediaType)) return 'maybe';
  return HTML_TYPES.has(mediaType) ? 'html' : 'other';
}

/** Types that never hold a text or a page, whatever their bytes look like. */
const FILE_TYPE =
  /^(?:(?:audio|chemical|font|image|model|video)\/|application\/(?:epub|font|gzip|java-|msword|pgp|rtf|vnd\.|wasm|x-(?:7z|bzip|compress|gzip|msdownload|rar|rpm|shockwave|tar|xz|zip)|zip))/;
/** Among them, types of pages and texts, and of office files, as which servers send tables and pages in HTML. */
const PAGE_SUFFIX =
  /(?:\+xml|\+json|html|\/(?:msword|vnd\.ms-(?:excel|word)|vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet)))$/;
const MARKDOWN_TYPES = new Set(['text/markdown', 'text/x-markdown']);
const JSON_TYPE = /^(?:application|text)\/(?:json|x-json|ndjson|x-ndjson|jsonl|[\w.+-]+\+json)$/;
const XML_TYPE = /^(?:(?:application|text)\/xml|[\w.+-]+\/[\w.+-]+\+xml)$/;
const MARKDOWN_NAME = /\.(?:md|markdown)$/i;
const PDF_NAME = /\.pdf$/i;

/** What the head of an answer says about its body. */
export interface DeclaredContent {
  /** Lower case without parameters; null if absent. */
  readonly mediaType: string | null;
  /** Of the path, or of Content-Disposition. */
  readonly fileName: string;
}

/** Tests whether a body may be a page or document; others need not be read. */
export function isReadable({ mediaType, fileName }: DeclaredContent): boolean {
  return mediaType === null || !FILE_TYPE.test(mediaType) || PAGE_SUFFIX.test(mediaType) || PDF_NAME.test(fileName);
}

/**
 * Says what a body is, by its bytes first: servers declare scripts' answers, downloads and old files in every way.
 * @returns undefined for files of other kinds
 */
export function recognizeContent(bytes: Uint8Array, declared: DeclaredContent): 'html' | DocumentFormat | undefined {
  const { mediaType, fileName } = declared;
  const kind = documentKindOf(mediaType);
  if (looksLikePdf(bytes, mediaType)) return 'pdf';
  const isPage = looksLikeHtml(bytes, mediaType);
  if (isPage && (kind !== 'other' || !isText(mediaType))) return 'html';
  if (!isPage && looksBinary(bytes)) return undefined;
  if (kind === 'html') return isFeed(bytes) ? 'xml' : isJson(bytes) ? 'json' : 'html';
  if (PDF_TYPES.has(mediaType ?? '')) return undefined;
  if (JSON_TYPE.test(mediaType ?? '')) return 'json';
  if (XML_TYPE.test(mediaType ?? '')) return 'xml';
  if (MARKDOWN_TYPES.has(mediaType ?? '') || MARKDOWN_NAME.test(fileName)) return 'markdown';
  return isText(mediaType) ? 'text' : guessFormat(bytes);
}

/** Files that people take for documents, by type, name, or the names of parts in their archive. */
const FILE_KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/msword|wordprocessingml|\.docx?(?:\s|$)|word\/document\.xml/i, 'a Word document'],
  [/ms-excel|spreadsheetml|\.xls[xmb]?(?:\s|$)|xl\/workbook\./i, 'an Excel workbook'],
  [/ms-powerpoint|presentationml|\.pptx?(?:\s|$)|ppt\/presentation\.xml/i, 'a PowerPoint presentation'],
  [/opendocument\.|\.od[tsp](?:\s|$)/i, 'an OpenDocument file'],
  [/epub/i, 'an EPUB book'],
  [/application\/rtf|\.rtf(?:\s|$)/i, 'an RTF document'],
  [/multipart\/related|\.mht(?:ml)?(?:\s|$)/i, 'an MHTML archive'],
];

/** Archives name their parts at the start or at the end. */
const NAMING_BYTES = 8192;

/** Names the kind of a file that is not read; undefined for files that nobody takes for documents. */
export function nameFile({ mediaType, fileName }: DeclaredContent, bytes: Uint8Array = NO_BYTES): string | undefined {
  const parts = [bytes.subarray(0, NAMING_BYTES), bytes.subarray(-NAMING_BYTES)];
  const content = parts.map((part) => Buffer.from(part).toString('latin1')).join(' ');
  const text = `${mediaType ?? ''} ${fileName} ${content.startsWith('PK\u0003\u0004') ? content : ''}`;
  return FILE_KINDS.find(([pattern]) => pattern.test(text))?.[1];
}

const NO_BYTES = new Uint8Array();

const PDF_TYPES = new Set(['application/pdf', 'application/x-pdf']);

function isText(mediaType: string | null): boolean {
  return mediaType !== null && (mediaType.startsWith('text/') || JSON_TYPE.test(mediaType) || XML_TYPE.test(mediaType));
}

/** Undeclared text: a fragment of HTML, JSON that is whole, or plain text. */
function guessFormat(bytes: Uint8Array): 'html' | DocumentFormat {
  const opening = readOpening(bytes);
  if (opening.startsWith('<?xml')) return 'xml';
  if (/^<[a-z!]/i.test(opening)) return 'html';
  return isJson(bytes) ? 'json' : 'text';
}

function readOpening(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 1024)).toString('latin1').replace(/^ï»¿/, '').trimStart();
}

function isJson(bytes: Uint8Array): boolean {
  const closing = Buffer.from(bytes.subarray(-1024)).toString('latin1').trimEnd();
  return /^(?:\{\s*["}]|\[\s*["{[\]\d-])/.test(readOpening(bytes)) && /[\]}]$/.test(closing);
}

/** Blogs declare their feeds as pages. */
function isFeed(bytes: Uint8Array): boolean {
  return /^(?:ï»¿)?\s*(?:<\?xml[^>]*>\s*)?<(?:rss|feed|rdf:RDF)[\s>]/.test(
    Buffer.from(bytes.subarray(0, 1024)).toString('latin1'),
  );
}

/** Some bytes may stand before the header of a declared PDF; a page may mention it. */
function looksLikePdf(bytes: Uint8Array, mediaType: string | null): boolean {
  const opening = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1');
  return PDF_TYPES.has(mediaType ?? '') ? opening.includes('%PDF-') : /^(?:ï»¿)?\s*%PDF-/.test(opening);
}

/** Bytes that do not occur in text (MIME Sniffing standard, section 7.2). */
// oxlint-disable-next-line no-control-regex -- it matches control characters
const BINARY = /[\0-\x08\x0B\x0E-\x1A\x1C-\x1F]/g;

/** More are no slips of a text, but another kind of file; of chance bytes a tenth are such. */
const MAX_BINARY_SHARE = 0.05;

/** Tests whether declared text is another kind of file. UTF-16 text contains zeros. */
function looksBinary(bytes: Uint8Array): boolean {
  const opening = Buffer.from(bytes.subarray(0, 1445)).toString('latin1');
  if (/^(?:\u00FE\u00FF|\u00FF\u00FE)/.test(opening)) return false;
  if (FILE_OPENING.test(opening)) return true;
  return (opening.match(BINARY)?.length ?? 0) > MAX_BINARY_SHARE * opening.length;
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

/** PDF, RTF, MHTML, images, archives, media and programs (MIME Sniffing standard, sections 6 and 7.1), also in Chromium's page for text. */
const FILE_OPENING =
  // oxlint-disable-next-line no-control-regex -- files begin with control characters
  /^(?:<html><head><\/head><body>)?(?:%PDF-\d|[^\0-\x7f]PNG\r?\n\x1a|GIF8[79]a|[^\0-\x7f]{4}[^]{1,2}(?:JFIF|Exif)|PK\x03\x04|\x1f\x8b\x08|ID3|RIFF[^]{4}|OggS|\x7fELF|MZ[^]{2}\0|BZh[1-9]1AY&(?:amp;)?SY|[^\0-\x7f]7zXZ|7z[^\0-\x7f]{2}|\{\\rtf|From: ["<]Saved by |MIME-Version: 1\.0\r?\nContent-Type: multipart\/related|%!PS-|[^]{1,4}ftyp[a-z]|\x1aE[^\0-\x7f]{2}|wOF[F2]|Rar!|bplist0|[^\0-\x7f]\xcf\x11\xe0)/;

export function isMislabelled(html: string): boolean {
  return FILE_OPENING.test(html);
}

/** Chromium's tree view of other XML. */
const XML_TREE = /<head><style id="xml-viewer-style">/;

/** How Chromium begins the page of a feed or of JSON that is declared as HTML. */
const DATA_AS_HTML =
  /^(?:(?:<!--\?xml[^>]*-->\s*)?<html><head><\/head><body><(?:rss|feed|rdf:rdf)[\s>]|<html><head><\/head><body>(?:\{\s*"|\[\s*["{]))/;

/**
 * Tests whether a browser shows a document as its author meant it. Not shown are other XML, feeds, text that is cut off
 * at an error of its XML, and bytes that the declared encoding or type does not fit.
 */
export function isDocumentShown(html: string, mediaType: string | null): boolean {
  if (isXmlType(mediaType) && html.includes('<parsererror ')) return false;
  if (DATA_AS_HTML.test(html) || isGarbled(html)) return false;
  if (mediaType === null || !XML_TYPES.has(mediaType)) return true;
  const opening = html.slice(0, 1024);
  return XHTML_ROOT.test(opening) && !XML_TREE.test(opening);
}

/** Control characters, and what decoders put in place of bytes that they cannot read. */
// oxlint-disable-next-line no-control-regex -- it matches control characters
const UNREADABLE = /[\0-\x08\x0B\x0E-\x1A\x1C-\x1F\uFFFD]/g;

/** UTF-16 that is read as another encoding: a tag begins with a zero. */
const WIDE_OPENING = /^<html><head><\/head><body>&lt;\uFFFD/;

function isGarbled(html: string): boolean {
  const text = html.slice(0, 4096).replaceAll(/<[^<>]*>/g, '');
  return (text.match(UNREADABLE)?.length ?? 0) > MAX_BINARY_SHARE * text.length || WIDE_OPENING.test(html);
}
