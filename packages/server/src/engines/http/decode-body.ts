import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { AppError } from '../../domain/shared/errors.ts';
import { pageTooLarge } from '../shared/judge-response.ts';
import { decodeChain, gzipHeadLength, zstdHeadLength } from './decode-chain.ts';
import type { Chain, Part } from './decode-chain.ts';
import { UnreadableResponse } from './unreadable-response.ts';

/** More are legal, but rare. */
const MAX_ENCODINGS = 4;

type Unpack = (bytes: Buffer, options: zlib.ZlibOptions & zlib.BrotliOptions) => Promise<Buffer>;

type Decoder = (bytes: Buffer, maxBytes: number) => Promise<DecodedBody>;

export interface DecodedBody {
  readonly bytes: Buffer;
  readonly isCutOff: boolean;
}

const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const unbrotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const inflatePart = promisify(zlib.inflateRaw) as unknown as (bytes: Buffer, options: object) => Promise<Part>;
const unzstdPart = promisify(zlib.zstdDecompress) as unknown as (bytes: Buffer, options: object) => Promise<Part>;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

/** Gzip members without their checksums. */
const GZIP_MEMBERS: Chain = {
  headLength: gzipHeadLength,
  tailLength: 8,
  decode: (bytes, options) => inflatePart(bytes, { ...options, info: true }),
  lenient: Z_SYNC_FLUSH,
};

/** Node's decoder silently stops after the first frame. */
const ZSTD_FRAMES: Chain = {
  headLength: zstdHeadLength,
  tailLength: 0,
  decode: (bytes, options) => unzstdPart(bytes, { ...options, info: true }),
  lenient: ZSTD_e_flush,
};

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: undoGzip,
  'x-gzip': undoGzip,
  // "deflate" means zlib, but many servers send raw deflate; the first byte tells.
  deflate: (bytes, maxBytes) => undoWhole(isZlib(bytes) ? inflate : inflateRaw, Z_SYNC_FLUSH, bytes, maxBytes),
  br: (bytes, maxBytes) => undoWhole(unbrotli, BROTLI_OPERATION_FLUSH, bytes, maxBytes),
  zstd: (bytes, maxBytes) => decodeChain(ZSTD_FRAMES, bytes, maxBytes),
};

/** Known but unsupported; unknown names are ignored. */
const FOREIGN_ENCODINGS = new Set(['aes128gcm', 'compress', 'dcb', 'dcz', 'exi', 'pack200-gzip', 'x-compress']);

/**
 * Decodes truncated bodies as far as possible.
 * @throws {AppError} `response_too_large` above the limit; `unsupported_content` for a broken or unsupported encoding
 */
export async function decodeBody(received: Buffer, contentEncoding: string, maxBytes: number): Promise<DecodedBody> {
  let body: DecodedBody = { bytes: received, isCutOff: false };
  for (const decoder of parseEncodings(contentEncoding)) {
    // An empty body is valid with any encoding.
    if (body.bytes.length === 0) break;
    const { bytes, isCutOff } = await undo(decoder, body.bytes, contentEncoding, maxBytes);
    body = { bytes, isCutOff: isCutOff || body.isCutOff };
  }
  return body;
}

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

/** @param lenient `finishFlush` for truncated streams */
async function undoWhole(unpack: Unpack, lenient: number, bytes: Buffer, maxBytes: number): Promise<DecodedBody> {
  const options = { maxOutputLength: maxBytes };
  try {
    return { bytes: await unpack(bytes, options), isCutOff: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw error;
    return { bytes: await unpack(bytes, { ...options, finishFlush: lenient }), isCutOff: true };
  }
}

/** Ignores wrong checksums and trailing data, as browsers do. */
async function undoGzip(bytes: Buffer, maxBytes: number): Promise<DecodedBody> {
  try {
    return await undoWhole(gunzip, Z_SYNC_FLUSH, bytes, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR' || gzipHeadLength(bytes) === undefined) throw error;
    return await decodeChain(GZIP_MEMBERS, bytes, maxBytes);
  }
}

/** The low half of a zlib stream's first byte is 8. */
function isZlib(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

function undecodable(encoding: string, cause?: unknown): AppError {
  const header = encoding.slice(0, 100);
  return new UnreadableResponse('unsupported_content', `the body cannot be decoded (Content-Encoding: ${header})`, {
    cause,
  });
}
