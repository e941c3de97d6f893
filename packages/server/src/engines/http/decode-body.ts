import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { AppError } from '../../domain/shared/errors.ts';
import { looksLikeHtml } from '../shared/content-type.ts';
import { pageTooLarge } from '../shared/judge-response.ts';
import { UnreadableResponse } from './unreadable.ts';

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
  deflate: undoDeflate,
  br: (bytes, maxBytes) => undoWhole(unbrotli, BROTLI_OPERATION_FLUSH, bytes, maxBytes),
  zstd: undoZstd,
};

/** Known but unsupported; unknown names are ignored. */
const FOREIGN_ENCODINGS = new Set(['aes128gcm', 'compress', 'dcb', 'dcz', 'exi', 'pack200-gzip', 'x-compress']);

/**
 * Decodes truncated bodies as far as possible. Markup counts as it is, and gzip, zlib and zstd as what they are, whatever
 * encoding is declared: a proxy may have changed it.
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
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw pageTooLarge(maxBytes);
    if (looksLikeHtml(bytes, null)) return { bytes, isCutOff: false };
    const other = recognizeDecoder(bytes);
    if (other === undefined || other === decoder) throw undecodable(header, error);
    return undo(other, bytes, header, maxBytes);
  }
}

/** Of a stream with a mark at its start, which another encoding was declared for. */
function recognizeDecoder(bytes: Buffer): Decoder | undefined {
  if (gzipHeadLength(bytes) !== undefined) return undoGzip;
  if (isZlib(bytes) && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0) return undoDeflate;
  return zstdHeadLength(bytes) === undefined ? undefined : undoZstd;
}

function undoDeflate(bytes: Buffer, maxBytes: number): Promise<DecodedBody> {
  return undoWhole(isZlib(bytes) ? inflate : inflateRaw, Z_SYNC_FLUSH, bytes, maxBytes);
}

function undoZstd(bytes: Buffer, maxBytes: number): Promise<DecodedBody> {
  return decodeChain(ZSTD_FRAMES, bytes, maxBytes);
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

/** Each costs a decoder. */
const MAX_PARTS = 1000;

interface ChainOptions {
  readonly maxOutputLength: number;
  /** Default: the input must be complete. */
  readonly finishFlush?: number;
}

/** Output of a decoder with the input bytes read (`engine.bytesWritten`). */
interface Part {
  readonly buffer: Buffer;
  readonly engine: Pick<zlib.Gunzip, 'bytesWritten'>;
}

/** A format of concatenated parts: gzip members, zstd frames. */
interface Chain {
  /** Bytes before the input of `decode`; undefined if no part starts. */
  readonly headLength: (bytes: Buffer) => number | undefined;
  /** Bytes after the input of `decode`. */
  readonly tailLength: number;
  readonly decode: (bytes: Buffer, options: ChainOptions) => Promise<Part>;
  readonly lenient: number;
}

interface DecodedChain {
  readonly bytes: Buffer;
  readonly isCutOff: boolean;
}

/**
 * Ignores trailing data, as browsers do.
 * @throws the decoder's errors for the first part, and `ERR_BUFFER_TOO_LARGE`
 */
async function decodeChain(chain: Chain, body: Buffer, maxBytes: number): Promise<DecodedChain> {
  const parts: Buffer[] = [];
  let room = maxBytes;
  let rest = body;
  let isCutOff = false;
  do {
    if (parts.length === MAX_PARTS) return { bytes: Buffer.concat(parts), isCutOff: true };
    const part = await decodePart(chain, rest, room, parts.length === 0);
    parts.push(part.bytes);
    room -= part.bytes.length;
    rest = rest.subarray(part.length);
    isCutOff = part.isCutOff;
  } while (!isCutOff && chain.headLength(rest) !== undefined);
  return { bytes: Buffer.concat(parts), isCutOff };
}

interface DecodedPart extends DecodedChain {
  readonly length: number;
}

async function decodePart(chain: Chain, body: Buffer, room: number, isFirst: boolean): Promise<DecodedPart> {
  const headLength = chain.headLength(body) ?? 0;
  const input = body.subarray(headLength);
  // Decoders reject a limit of 0.
  const options = { maxOutputLength: Math.max(1, room) };
  let part: Part;
  let isCutOff = false;
  try {
    part = await chain.decode(input, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw error;
    isCutOff = true;
    if (code === 'Z_BUF_ERROR') part = await chain.decode(input, { ...options, finishFlush: chain.lenient });
    else if (isFirst) throw error;
    else part = NOTHING;
  }
  if (part.buffer.length > room) throw new TooLarge();
  return { bytes: part.buffer, length: headLength + part.engine.bytesWritten + chain.tailLength, isCutOff };
}

const NOTHING: Part = { buffer: Buffer.alloc(0), engine: { bytesWritten: 0 } };

class TooLarge extends RangeError {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

/** RFC 1952, 2.3.1. */
const GZIP_CHECKSUM = 2;
const GZIP_EXTRA = 4;
const GZIP_TEXTS = [8, 16];

/** Undefined if no member starts. */
export function gzipHeadLength(bytes: Buffer): number | undefined {
  if (bytes.length < 10 || bytes.readUIntBE(0, 3) !== 0x1f8b08) return undefined;
  const flags = bytes[3] ?? 0;
  let length = 10;
  if ((flags & GZIP_EXTRA) !== 0) length += 2 + (bytes[10] ?? 0) + (bytes[11] ?? 0) * 256;
  for (const text of GZIP_TEXTS) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, length);
    if (end === -1) return undefined;
    length = end + 1;
  }
  if ((flags & GZIP_CHECKSUM) !== 0) length += 2;
  return length <= bytes.length ? length : undefined;
}

/** Returns 0 at a frame or skippable frame (RFC 8878, 3.1). */
function zstdHeadLength(bytes: Buffer): 0 | undefined {
  if (bytes.length < 4) return undefined;
  const magic = bytes.readUInt32LE(0);
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50 ? 0 : undefined;
}
