/** Converts the text of a snapshot to stored bytes and back, for every storage. */
import { hash as digest, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { constants as zlib, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** zstd's default level: HTML shrinks to about a sixth at 200 MB/s. */
const COMPRESSION = { params: { [zlib.ZSTD_c_compressionLevel]: 3 } };

const HASH_PATTERN = /^[0-9a-f]{64}$/;

export function isContentAddress(text: string): boolean {
  return HASH_PATTERN.test(text);
}

/** @throws for text that is not a content address */
export function requireContentAddress(hash: string): void {
  if (!isContentAddress(hash)) throw new Error(`not a content address: ${hash}`);
}

/** Returns `ab/cd/<sha256>.html.zst`, which keeps folders small. Throws for an invalid content address. */
export function pathOfContent(hash: string): string {
  requireContentAddress(hash);
  return `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}${CONTENT_SUFFIX}`;
}

export const CONTENT_SUFFIX = '.html.zst';

/**
 * Up to this size the work runs on the event loop: it takes a fraction of a millisecond, less than a hand-over to the
 * thread pool.
 */
const SMALL_BYTES = 128 * 1024;

/** Returns the SHA-256 in lower-case hex; large pages are hashed in the thread pool. */
export async function hashBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length <= SMALL_BYTES) return hashAtOnce(bytes);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/** Like {@link hashBytes}, on the calling thread. */
export function hashAtOnce(bytes: Uint8Array): string {
  return digest('sha256', bytes, 'hex');
}

export async function pack(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return bytes.length <= SMALL_BYTES ? packAtOnce(bytes) : compress(bytes, COMPRESSION);
}

/** Compresses on the calling thread. */
export function packAtOnce(bytes: Uint8Array): Buffer<ArrayBuffer> {
  return zstdCompressSync(bytes, COMPRESSION);
}

/** Tests for an error of {@link unpack}; by its message, because errors of other threads keep nothing else. */
export function isDamagedContent(error: unknown): boolean {
  return error instanceof Error && / is damaged: it(?:s content)? does not /.test(error.message);
}

/** Decompresses stored bytes. Throws, naming the place, when they do not match the address. */
export async function unpack(packed: Uint8Array, hash: string, place: string): Promise<string> {
  let bytes: Buffer<ArrayBuffer>;
  try {
    bytes = await decompress(packed);
  } catch (error) {
    throw new Error(`${place} is damaged: it does not decompress`, { cause: error });
  }
  if ((await hashBytes(bytes)) !== hash) {
    throw new Error(`${place} is damaged: its content does not match its address`);
  }
  return bytes.toString('utf8');
}
