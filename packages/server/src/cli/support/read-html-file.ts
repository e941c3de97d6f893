import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readRegularFile } from '../../config/regular-file.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';

const unzip = promisify(gunzip);

/** The setting that bounds a page, for messages. */
export const PAGE_LIMIT = 'WINNOW_MAX_PAGE_BYTES';

/** RFC 1952. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * Reads an HTML file, optionally gzipped, and decodes it as browsers do.
 * @throws {Error} naming the file and the fault
 */
export async function readHtmlFile(file: string, maxBytes: number): Promise<string> {
  return decodeHtml(readRegularFile(file, maxBytes, PAGE_LIMIT), file, maxBytes);
}

/** Decodes bytes; `name` is for messages. */
export async function decodeHtml(bytes: Buffer, name: string, maxBytes: number): Promise<string> {
  const plain = bytes.subarray(0, 2).equals(GZIP_MAGIC) ? await inflate(bytes, name, maxBytes) : bytes;
  if (plain.length > maxBytes) throw new Error(`${name} is larger than ${formatBytes(maxBytes)} (${PAGE_LIMIT})`);
  const { text } = await decodeDocument(plain, { label: undefined, isXml: false });
  return text;
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
