import { hash as digest, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { constants as zlib, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { formatBytes } from '../domain/shared/format-bytes.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The largest page that the settings allow; a damaged or hostile file may claim any size. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

/** Shrinks HTML to a sixth at 200 MB/s. */
const COMPRESSION = { params: { [zlib.ZSTD_c_compressionLevel]: 3 } };

const HASH_PATTERN = /^[0-9a-f]{64}$/;

export function isContentAddress(text: string): boolean {
  return HASH_PATTERN.test(text);
}

export function requireContentAddress(hash: string): void {
  if (!isContentAddress(hash)) throw new Error(`not a content address: ${hash}`);
}

/** `ab/cd/<sha256>.html.zst` keeps folders small. Throws for an invalid address. */
export function pathOfContent(hash: string): string {
  requireContentAddress(hash);
  return `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}${CONTENT_SUFFIX}`;
}

export const CONTENT_SUFFIX = '.html.zst';

/** Up to this size hashing takes less time than a hand-over to the thread pool. */
export const SMALL_BYTES: number = 128 * 1024;

export async function hashBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length <= SMALL_BYTES) return digest('sha256', bytes, 'hex');
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

export async function pack(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return bytes.length <= SMALL_BYTES ? packAtOnce(bytes) : compress(bytes, COMPRESSION);
}

export function packAtOnce(bytes: Uint8Array): Buffer<ArrayBuffer> {
  return zstdCompressSync(bytes, COMPRESSION);
}

/** By message: errors of other threads keep nothing else. */
export function isDamagedContent(error: unknown): boolean {
  return error instanceof Error && / is damaged: it(?:s content)? does not /.test(error.message);
}

/** Throws, naming the place, when the bytes do not match the address. */
export async function unpack(packed: Uint8Array, hash: string, place: string): Promise<string> {
  let bytes: Buffer<ArrayBuffer>;
  try {
    bytes = await decompress(packed, { maxOutputLength: MAX_CONTENT_BYTES });
  } catch (error) {
    if (error instanceof RangeError)
      throw new Error(`${place} is damaged: it does not decompress to at most ${formatBytes(MAX_CONTENT_BYTES)}`, {
        cause: error,
      });
    throw new Error(`${place} is damaged: it does not decompress`, { cause: error });
  }
  if ((await hashBytes(bytes)) !== hash) {
    throw new Error(`${place} is damaged: its content does not match its address`);
  }
  return bytes.toString('utf8');
}
