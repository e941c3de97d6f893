import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';

const unzip = promisify(gunzip);

/** RFC 1952. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * Reads an HTML file, optionally gzipped, and decodes it as browsers do.
 * @throws {Error} naming the file and the fault
 */
export async function readHtmlFile(file: string, maxBytes: number): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new Error(describeReadFailure(file, error), { cause: error });
  }
  return decodeHtml(bytes, file, maxBytes);
}

/** Decodes bytes; `name` is for messages. */
export async function decodeHtml(bytes: Buffer, name: string, maxBytes: number): Promise<string> {
  const plain = bytes.subarray(0, 2).equals(GZIP_MAGIC) ? await inflate(bytes, name, maxBytes) : bytes;
  if (plain.length > maxBytes)
    throw new Error(`${name} is larger than ${formatBytes(maxBytes)} (WINNOW_MAX_PAGE_BYTES)`);
  return decodeDocument(plain, { label: undefined, isXml: false }).text;
}

async function inflate(bytes: Buffer, name: string, maxBytes: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    const reason = tooLarge
      ? `is larger than ${formatBytes(maxBytes)} (WINNOW_MAX_PAGE_BYTES) after unpacking`
      : 'is not a complete gzip file';
    throw new Error(`${name} ${reason}`, { cause: error });
  }
}

function describeReadFailure(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `no such file: ${file}`;
  if (code === 'EISDIR') return `${file} is a folder`;
  if (code === 'EACCES') return `no permission to read ${file}`;
  return `${file} cannot be read (${String(code ?? error)})`;
}
