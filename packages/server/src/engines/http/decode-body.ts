import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { AppError } from '../../domain/shared/errors.ts';
import { pageTooLarge } from '../shared/judge-response.ts';
import { decodeChain, gzipHeadLength, zstdHeadLength } from './decode-chain.ts';
import type { Chain, Part } from './decode-chain.ts';
import { UnreadableResponse } from './unreadable-response.ts';

/** Stacked encodings are legal, but nobody needs many. */
const MAX_ENCODINGS = 4;

type Unpack = (bytes: Buffer, options: zlib.ZlibOptions & zlib.BrotliOptions) => Promise<Buffer>;

/** Undoes one encoding. */
type Decoder = (bytes: Buffer, maxBytes: number) => Promise<DecodedBody>;

export interface DecodedBody {
  readonly bytes: Buffer;
  /** Whether an encoding ended before its end, so that the end of the body is missing or may be. */
  readonly isCutOff: boolean;
}

const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const unbrotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const inflatePart = promisify(zlib.inflateRaw) as unknown as (bytes: Buffer, options: object) => Promise<Part>;
const unzstdPart = promisify(zlib.zstdDecompress) as unknown as (bytes: Buffer, options: object) => Promise<Part>;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

/** Members of gzip without their checks. */
const GZIP_MEMBERS: Chain = {
  headLength: gzipHeadLength,
  tailLength: 8,
  decode: (bytes, options) => inflatePart(bytes, { ...options, info: true }),
  lenient: Z_SYNC_FLUSH,
};

/** Node's decoder ends with the first frame and says nothing of the others. */
const ZSTD_FRAMES: Chain = {
  headLength: zstdHeadLength,
  tailLength: 0,
  decode: (bytes, options) => unzstdPart(bytes, { ...options, info: true }),
  lenient: ZSTD_e_flush,
};

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: undoGzip,
  'x-gzip': undoGzip,
  // "deflate" means the zlib format, but many servers send raw deflate; the first byte tells.
  deflate: (bytes, maxBytes) => undoWhole(isZlib(bytes) ? inflate : inflateRaw, Z_SYNC_FLUSH, bytes, maxBytes),
  br: (bytes, maxBytes) => undoWhole(unbrotli, BROTLI_OPERATION_FLUSH, bytes, maxBytes),
  zstd: (bytes, maxBytes) => decodeChain(ZSTD_FRAMES, bytes, maxBytes),
};

/** Registered encodings that nothing here undoes. Other names are no encodings but mistakes, and mean nothing. */
const FOREIGN_ENCODINGS = new Set(['aes128gcm', 'compress', 'dcb', 'dcz', 'exi', 'pack200-gzip', 'x-compress']);

/**
 * Undoes the content encodings of a response body. One that was cut off gives what it holds, and says so.
 * @throws {AppError} `response_too_large` as soon as the decoded body exceeds the limit; `unsupported_content` for an
 *   encoding that is broken or cannot be undone.
 */
export async function decodeBody(received: Buffer, contentEncoding: string, maxBytes: number): Promise<DecodedBody> {
  let body: DecodedBody = { bytes: received, isCutOff: false };
  for (const decoder of parseEncodings(contentEncoding)) {
    // An empty body carries no encoding, whatever the header says.
    if (body.bytes.length === 0) break;
    const { bytes, isCutOff } = await undo(decoder, body.bytes, contentEncoding, maxBytes);
    body = { bytes, isCutOff: isCutOff || body.isCutOff };
  }
  return body;
}

/** What undoes the encodings of a header, in the order in which it must be done. */
function parseEncodings(header: string): Decoder[] {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const decoders = names.flatMap((name) => (Object.hasOwn(DECODERS, name) ? (DECODERS[name] ?? []) : []));
  if (decoders.length > MAX_ENCODINGS || names.some((name) => FOREIGN_ENCODINGS.has(name))) throw undecodable(header);
  return decoders.toReversed();
}

async function undo(decoder: Decoder, bytes: Buffer, header: string, maxBytes: number): Promise<DecodedBody> {
  try {
    return await decoder(bytes, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ERR_BUFFER_TOO_LARGE' ? pageTooLarge(maxBytes) : undecodable(header, error);
  }
}

/** @param lenient the `finishFlush` with which a stream that was cut off gives what it holds, as in browsers */
async function undoWhole(unpack: Unpack, lenient: number, bytes: Buffer, maxBytes: number): Promise<DecodedBody> {
  const options = { maxOutputLength: maxBytes };
  try {
    return { bytes: await unpack(bytes, options), isCutOff: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw error;
    // Complete input was expected and there is no more of it.
    return { bytes: await unpack(bytes, { ...options, finishFlush: lenient }), isCutOff: true };
  }
}

/** A wrong checksum or length at its end and what stands behind it do not make a page unreadable, as in browsers. */
async function undoGzip(bytes: Buffer, maxBytes: number): Promise<DecodedBody> {
  try {
    return await undoWhole(gunzip, Z_SYNC_FLUSH, bytes, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR' || gzipHeadLength(bytes) === undefined) throw error;
    return await decodeChain(GZIP_MEMBERS, bytes, maxBytes);
  }
}

/** The low half of a zlib stream's first byte names its method, which is always 8. */
function isZlib(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

function undecodable(encoding: string, cause?: unknown): AppError {
  const header = encoding.slice(0, 100);
  return new UnreadableResponse('unsupported_content', `the body cannot be decoded (Content-Encoding: ${header})`, {
    cause,
  });
}
