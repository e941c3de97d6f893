import type zlib from 'node:zlib';

/** Parts that a body is read of; each costs a decoder, and who makes many of them makes them large. */
const MAX_PARTS = 1000;

export interface ChainOptions {
  readonly maxOutputLength: number;
  /** How far the decoder goes at the end of its input; default: the input must be complete. */
  readonly finishFlush?: number;
}

/** What a decoder gave, and how much of its input it read for that (`engine.bytesWritten`). */
export interface Part {
  readonly buffer: Buffer;
  readonly engine: Pick<zlib.Gunzip, 'bytesWritten'>;
}

/** A format whose bodies are parts one after another, each complete in itself: gzip's members, zstd's frames. */
export interface Chain {
  /** Bytes of a part's head before what `decode` takes; undefined where no part begins. */
  readonly headLength: (bytes: Buffer) => number | undefined;
  /** Bytes behind what `decode` takes. */
  readonly tailLength: number;
  /** Decodes up to the end of the part. */
  readonly decode: (bytes: Buffer, options: ChainOptions) => Promise<Part>;
  /** The `finishFlush` with which a part that was cut off gives what it holds. */
  readonly lenient: number;
}

export interface DecodedChain {
  readonly bytes: Buffer;
  readonly isCutOff: boolean;
}

/**
 * Decodes all parts of a body; what follows them and is none is left out, as browsers do. All together give at most
 * `maxBytes`.
 * @throws what the decoder throws: for the first part, and `ERR_BUFFER_TOO_LARGE`
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
  /** Bytes of the body that it took. */
  readonly length: number;
}

async function decodePart(chain: Chain, body: Buffer, room: number, isFirst: boolean): Promise<DecodedPart> {
  const headLength = chain.headLength(body) ?? 0;
  const input = body.subarray(headLength);
  // A decoder takes no limit of 0; the byte too much is seen below.
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

/** What a decoder throws beyond its limit. */
class TooLarge extends RangeError {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

/** Flags of a gzip head that say what else stands in it (RFC 1952, 2.3.1). */
const GZIP_CHECKSUM = 2;
const GZIP_EXTRA = 4;
const GZIP_TEXTS = [8, 16];

/** Bytes of the head of a gzip member; undefined where none begins. */
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

/** 0 where a zstd frame begins, or one that decoders skip (RFC 8878, 3.1). */
export function zstdHeadLength(bytes: Buffer): 0 | undefined {
  if (bytes.length < 4) return undefined;
  const magic = bytes.readUInt32LE(0);
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50 ? 0 : undefined;
}
