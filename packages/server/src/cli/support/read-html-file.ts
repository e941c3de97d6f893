import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readRegularFile } from '../../config/regular-file.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import type { DocumentSource } from '../../domain/capture/capture-ports.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';
import { nameFile, recognizeContent } from '../../engines/shared/content-type.ts';

const unzip = promisify(gunzip);

/** The setting that bounds a page, for messages. */
export const PAGE_LIMIT = 'WINNOW_MAX_PAGE_BYTES';

/** RFC 1952. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Other names stand for HTML, whatever its first characters are. */
const OTHER_TEXT = /\.(?:atom|csv|json|log|markdown|md|rss|txt|xml)$/i;

/**
 * Reads an HTML file, optionally gzipped, and decodes it as browsers do.
 * @throws {Error} naming the file and the fault
 */
export async function readHtmlFile(file: string, maxBytes: number): Promise<string> {
  const { format, content } = await readPageFile(file, maxBytes);
  if (format === 'html') return content;
  throw new Error(`${file} is no HTML, but ${format === 'pdf' ? 'a PDF' : format}`);
}

/** A page, or a document that can be converted to one. */
export type PageFile = { readonly format: 'html'; readonly content: string } | DocumentSource;

/**
 * Reads a page or document as the service reads one that a server declares as HTML.
 * @throws {Error} naming the file and the fault
 */
export async function readPageFile(file: string, maxBytes: number): Promise<PageFile> {
  return decodePage(readRegularFile(file, maxBytes, PAGE_LIMIT), file, maxBytes);
}

/** Decodes bytes; `name` is for messages, and tells text from HTML. */
export async function decodePage(bytes: Buffer, name: string, maxBytes: number): Promise<PageFile> {
  const plain = bytes.subarray(0, 2).equals(GZIP_MAGIC) ? await inflate(bytes, name, maxBytes) : bytes;
  if (plain.length > maxBytes) throw new Error(`${name} is larger than ${formatBytes(maxBytes)} (${PAGE_LIMIT})`);
  const fileName = path.basename(name).replace(/\.gz$/i, '');
  const declared = { mediaType: OTHER_TEXT.test(fileName) ? null : 'text/html', fileName };
  const format = recognizeContent(plain, declared);
  if (format === undefined) {
    const kind = nameFile(declared, plain);
    throw new Error(
      `${name} is ${kind === undefined ? 'neither a page nor a document' : `${kind}, which cannot be read`}`,
    );
  }
  if (format === 'pdf') return { format, content: plain, fileName };
  const { text } = await decodeDocument(plain, { label: undefined, isXml: format === 'xml' });
  return format === 'html' ? { format, content: text } : { format, content: text, fileName };
}

async function inflate(bytes: Buffer, name: string, maxBytes: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    const reason = tooLarge
      ? `is larger than ${formatBytes(maxBytes)} (${PAGE_LIMIT}) after unpacking`
      : 'is not a complete gzip file';
    throw new Error(`${name} ${reason}`, { cause: error });
  }
}
