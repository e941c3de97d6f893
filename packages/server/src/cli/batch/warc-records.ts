/** Framing of WARC files (ISO 28500). */
import type { Gunzip } from 'node:zlib';
import { createGunzip } from 'node:zlib';

export interface WarcDamage {
  /** Position in the uncompressed archive. */
  readonly at: number;
  readonly reason: string;
}

export interface WarcRecord {
  /** Position in the uncompressed archive. */
  readonly at: number;
  readonly head: Buffer;
  readonly content: Buffer;
}

export interface WarcRecords {
  /** Maximum bytes of a record with its header; larger ones are skipped. */
  readonly maxRecordBytes: number;
  readonly onDamage: (damage: WarcDamage) => void;
}

export class NotWarcError extends Error {
  constructor() {
    super('is not a WARC file: it does not start with "WARC/"');
    this.name = 'NotWarcError';
  }
}

const VERSION = Buffer.from('WARC/');
const HEADER_END = Buffer.from('\r\n\r\n');
const RECORD_END = '\r\n\r\n';
const NEXT_RECORD = Buffer.from('\nWARC/');

const MAX_HEADER_BYTES = 64 * 1024;

/** Small, because damage loses the whole decompressed piece. */
export const PACKED_PIECE_BYTES = 2048;

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * Yields each record. Continues after a damaged record, but not after damaged compression.
 * @throws {NotWarcError}
 */
export async function* readWarcRecords(
  input: AsyncIterable<Uint8Array>,
  { maxRecordBytes, onDamage }: WarcRecords,
): AsyncGenerator<WarcRecord> {
  const raw = new ByteReader(input);
  const isGzip = (await raw.peek(2)).equals(GZIP_MAGIC);
  const bytes = isGzip ? new ByteReader(unzip(raw.rest())) : raw;
  try {
    if (!(await bytes.peek(VERSION.length)).equals(VERSION)) throw new NotWarcError();
    while (!(await bytes.isAtEnd())) {
      const at = bytes.position;
      const record = await readRecord(bytes, maxRecordBytes);
      if (record !== undefined && 'content' in record) yield { at, ...record };
      else if (record !== undefined) {
        onDamage({ at, reason: record.reason });
        await bytes.skipTo(NEXT_RECORD);
      }
    }
  } catch (error) {
    if (!isCompressionFault(error)) throw error;
    onDamage({ at: bytes.position, reason: `the compressed data is damaged (${error.message})` });
  }
}

/** Returns a record, undefined if too large, or the damage. */
async function readRecord(
  bytes: ByteReader,
  maxBytes: number,
): Promise<Omit<WarcRecord, 'at'> | undefined | { reason: string }> {
  if (!(await bytes.peek(VERSION.length)).equals(VERSION)) return { reason: 'no record starts here' };
  const head = await bytes.takeThrough(HEADER_END, MAX_HEADER_BYTES);
  if (head === undefined) return { reason: 'the header of a record has no end' };
  const text = head.toString('latin1');
  const length = Number(/\r\nContent-Length:[ \t]*(\d+)[ \t]*\r\n/i.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(length)) return { reason: 'a record has no Content-Length' };
  const isTooLarge = head.length + length > maxBytes;
  const content = isTooLarge ? undefined : await bytes.take(length);
  const got = isTooLarge ? await bytes.skip(length) : (content?.length ?? 0);
  if (got < length) return { reason: `the file ends after ${got} of the ${length} bytes of a record` };
  const end = await bytes.peek(RECORD_END.length);
  if (end.toString('latin1') !== RECORD_END && end.length > 0 && !isBlank(end))
    return { reason: 'a record does not end where its Content-Length says' };
  await bytes.skip(end.length);
  return content && { head, content };
}

/** Some writers omit the line ends of the last record. */
function isBlank(end: Buffer): boolean {
  return end.length < RECORD_END.length && /^[\r\n]*$/.test(end.toString('latin1'));
}

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  position = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.peek(1)).length === 0;
  }

  /** Returns up to `length` bytes without consuming them. */
  async peek(length: number): Promise<Buffer> {
    await this.#hold(length);
    return this.#held.subarray(0, length);
  }

  /** Consumes up to `length` bytes. */
  async take(length: number): Promise<Buffer> {
    await this.#hold(length);
    return this.#drop(length);
  }

  /** Skips up to `length` bytes; returns how many. */
  async skip(length: number): Promise<number> {
    let left = length;
    while (left > 0 && !(await this.isAtEnd())) left -= this.#drop(left).length;
    return length - left;
  }

  /** Consumes bytes through a mark; undefined if it is not in the first `maxBytes`. */
  async takeThrough(mark: Buffer, maxBytes: number): Promise<Buffer | undefined> {
    for (let wanted = 1024; ; wanted *= 2) {
      await this.#hold(Math.min(wanted, maxBytes));
      const at = this.#held.subarray(0, maxBytes).indexOf(mark);
      if (at !== -1) return this.#drop(at + mark.length);
      if (wanted >= maxBytes || this.#hasEnded) return undefined;
    }
  }

  /** Skips to the line that starts with the rest of a mark. */
  async skipTo(mark: Buffer): Promise<void> {
    while (!(await this.isAtEnd())) {
      await this.#hold(mark.length);
      const at = this.#held.indexOf(mark);
      if (at !== -1) {
        this.#drop(at + 1);
        return;
      }
      // A mark may span two pieces.
      this.#drop(Math.max(1, this.#held.length - mark.length + 1));
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isAtEnd())) yield this.#drop(this.#held.length);
  }

  async #hold(length: number): Promise<void> {
    if (this.#held.length >= length || this.#hasEnded) return;
    const parts: Uint8Array[] = [this.#held];
    let held = this.#held.length;
    try {
      while (held < length && !this.#hasEnded) {
        const { done, value } = await this.#source.next();
        if (done === true) this.#hasEnded = true;
        else {
          parts.push(value);
          held += value.length;
        }
      }
    } finally {
      this.#held = Buffer.concat(parts);
    }
  }

  #drop(length: number): Buffer {
    const dropped = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    this.position += dropped.length;
    return dropped;
  }
}

/** Decompresses gzip members; unlike an iterated stream it returns all data before a fault. */
async function* unzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const unpacked: Uint8Array[] = [];
  gunzip.on('data', (chunk: Uint8Array) => unpacked.push(chunk));
  let given = 0;
  for await (const chunk of packed) {
    for (let from = 0; from < chunk.length && !gunzip.readableEnded; from += PACKED_PIECE_BYTES) {
      const piece = chunk.subarray(from, from + PACKED_PIECE_BYTES);
      given += piece.length;
      const fault = await write(gunzip, piece);
      yield* unpacked.splice(0);
      if (fault) throw fault;
    }
  }
  const fault = await finish(gunzip);
  yield* unpacked.splice(0);
  if (fault) throw fault;
  // Node's gunzip ignores trailing garbage.
  if (gunzip.bytesWritten < given) throw Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });
}

function write(gunzip: Gunzip, chunk: Uint8Array): Promise<Error | undefined> {
  return new Promise((resolve) => {
    gunzip.once('error', resolve);
    gunzip.write(chunk, (error) => {
      if (error) return;
      gunzip.off('error', resolve);
      resolve(undefined);
    });
  });
}

function finish(gunzip: Gunzip): Promise<Error | undefined> {
  return new Promise((resolve) => {
    if (gunzip.readableEnded) return resolve(undefined);
    gunzip.once('error', resolve).once('end', () => resolve(undefined));
    return gunzip.end();
  });
}

/** Tells faults of compressed data from other errors. */
export function isCompressionFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
}
