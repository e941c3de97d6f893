import type zlib from 'node:zlib';

/** Each costs a decoder. */
const MAX_PARTS = 1000;

export interface ChainOptions {
  readonly maxOutputLength: number;
  /** Default: the input must be complete. */
  readonly finishFlush?: number;
}

/** Output of a decoder with the input bytes read (`engine.bytesWritten`). */
export interface Part {
  readonly buffer: Buffer;
  readonly engine: Pick<zlib.Gunzip, 'bytesWritten'>;
}

/** A format of concatenated parts: gzip members, zstd frames. */
export interface Chain {
  /** Bytes before the input of `decode`; undefined if no part starts. */
  readonly headLength: (bytes: Buffer) => number | undefined;
  /** Bytes after the input of `decode`. */
  readonly tailLength: number;
  readonly decode: (bytes: Buffer, options: ChainOptions) => Promise<Part>;
  readonly lenient: number;
}

export interface DecodedChain {
  readonly bytes: Buffer;
  readonly isCutOff: boolean;
}

/**
 * Ignores trailing data, as browsers do.
 * @throws the decoder's errors for the first part, and `ERR_BUFFER_TOO_LARGE`
 */
export async function decodeChain(chain: Chain, body: Buffer, maxBytes: number): Promise<DecodedChain> {
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
export function zstdHeadLength(bytes: Buffer): 0 | undefined {
  if (bytes.length < 4) return undefined;
  const magic = bytes.readUInt32LE(0);
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50 ? 0 : undefined;
}
