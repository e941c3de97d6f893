import { WARCParser, AsyncIterReader } from 'warcio';
import { ByteCollector } from '../../domain/shared/byte-collector.ts';
import { documentKindOf, readContentType } from '../../engines/shared/content-type.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';

export interface WarcPage {
  /** WARC-Record-ID without angle brackets, or the record's number. */
  readonly id: string;
  readonly url: string;
  readonly html: string;
  readonly statusCode: number;
  readonly fetchedAt: string | null;
  readonly contentLanguage: string | null;
}

/** Bytes of headers and encoding. */
const MAX_RECORD_OVERHEAD = 1024 * 1024;

/** Far more than servers send; a million headers take seconds and 400 MB. */
const MAX_HTTP_HEAD_BYTES = 256 * 1024;
const HTTP = Buffer.from('HTTP/');

/**
 * Yields the HTML pages of a WARC file (ISO 28500), optionally compressed: 2xx responses of at most `maxBytes`. Skips
 * other records and reports damage. Holds one record in memory.
 * @throws {NotWarcError}
 */
export async function* readWarc(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onDamage: (damage: WarcDamage) => void,
): AsyncGenerator<WarcPage> {
  let number = 0;
  const maxRecordBytes = 2 * maxBytes + MAX_RECORD_OVERHEAD;
  for await (const { at, head, content } of readWarcRecords(input, { maxRecordBytes, onDamage })) {
    number += 1;
    if (content.length > MAX_HTTP_HEAD_BYTES && !hasHeadWithin(content, MAX_HTTP_HEAD_BYTES)) {
      if (content.subarray(0, HTTP.length).equals(HTTP))
        onDamage({ at, reason: 'the HTTP header of a record is too long' });
      continue;
    }
    const record = await WARCParser.parse(inPieces([head, content]));
    const url = record?.warcTargetURI;
    const httpHeaders = record?.httpHeaders;
    if (record?.warcType !== 'response' || url === null || url === undefined || !httpHeaders) continue;
    const statusCode = Number(httpHeaders.statusCode);
    const { mediaType, charset: label } = readContentType(httpHeaders.headers.get('Content-Type'));
    if (statusCode < 200 || statusCode > 299 || documentKindOf(mediaType) !== 'html') continue;
    const body = await readUpTo(record, maxBytes);
    if (body === undefined) continue;
    const isXml = mediaType?.endsWith('xml') ?? false;
    const { text } = await decodeDocument(body, { label, isXml });
    yield {
      id: record.warcHeader('WARC-Record-ID')?.replaceAll(/^<|>$/g, '') ?? `record-${number}`,
      url,
      html: text,
      statusCode,
      fetchedAt: record.warcDate ?? null,
      contentLanguage: httpHeaders.headers.get('Content-Language') ?? null,
    };
  }
}

function hasHeadWithin(content: Buffer, bytes: number): boolean {
  return content.subarray(0, bytes).includes('\r\n\r\n') || content.subarray(0, bytes).includes('\n\n');
}

/** Returns the decoded body; undefined if too large, without reading the rest. */
async function readUpTo(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const content = new ByteCollector();
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    content.add(chunk);
  }
  return content.take();
}

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

/** A line, or `MAX_HEADER_BYTES` of a longer one; null at the end. */
type Line = Uint8Array | null;

const VERSION = Buffer.from('WARC/');
const BLANK = /^\r?\n?$/;

const MAX_HEADER_BYTES = 64 * 1024;

/** The reader decompresses a whole piece before it returns anything of it. */
const PIECE_BYTES = 2048;

/**
 * Yields each record within its bounds (ISO 28500). Continues after a damaged record, which `warcio` alone does not, but
 * not after damaged compression.
 * @throws {NotWarcError}
 */
async function* readWarcRecords(
  input: AsyncIterable<Uint8Array>,
  { maxRecordBytes, onDamage }: WarcRecords,
): AsyncGenerator<WarcRecord> {
  const reader = new AsyncIterReader(inPieces(input));
  let line = await readLine(reader);
  if (line === null || !startsRecord(line)) throw new NotWarcError();
  const isPacked = reader.compressed !== null;
  while (line !== null) {
    const at = reader.getReadOffset() - line.length;
    const { record, damage, next } = await readRecord(reader, line, maxRecordBytes);
    if (record) yield { at, ...record };
    if (isPacked && isDamaged(reader, next)) {
      onDamage({ at: reader.getReadOffset(), reason: 'the compressed data is damaged' });
      return;
    }
    if (damage !== undefined) onDamage({ at, reason: damage });
    line = damage === undefined ? next : await findRecord(reader, next);
  }
}

interface ReadRecord {
  /** Undefined if too large or damaged. */
  readonly record?: Omit<WarcRecord, 'at'> | undefined;
  readonly damage?: string;
  readonly next: Line;
}

async function readRecord(reader: AsyncIterReader, first: Uint8Array, maxBytes: number): Promise<ReadRecord> {
  if (!startsRecord(first)) return { damage: 'no record starts here', next: await readLine(reader) };
  const lines: Uint8Array[] = [first];
  let headLength = first.length;
  for (let line: Line = first; !isBlank(line);) {
    line = await readLine(reader);
    headLength += line?.length ?? 0;
    if (line === null || headLength > MAX_HEADER_BYTES)
      return { damage: 'the header of a record has no end', next: line };
    lines.push(line);
  }
  const head = Buffer.concat(lines);
  const text = head.toString('latin1');
  const length = Number(/\r\nContent-Length:[ \t]*(\d+)[ \t]*\r\n/i.exec(text)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(length)) return { damage: 'a record has no Content-Length', next: await readLine(reader) };
  const content = headLength + length > maxBytes ? undefined : await reader.readSize(length);
  const got = content?.length ?? (await reader.skipSize(length));
  if (got < length) return { damage: `the file ends after ${got} of the ${length} bytes of a record`, next: null };
  // Some writers omit the line ends of the last record.
  for (let ends = 0; ends < 2; ends += 1) {
    const next = await readLine(reader);
    if (!isBlank(next)) return { damage: 'a record does not end where its Content-Length says', next };
  }
  const record = content && { head, content: Buffer.from(content.buffer, content.byteOffset, content.length) };
  return { record, next: await readLine(reader) };
}

/** Returns the next line that starts a record, from a line on. */
async function findRecord(reader: AsyncIterReader, from: Line): Promise<Line> {
  let isStart = true;
  for (let line = from; line !== null; line = await readLine(reader)) {
    if (isStart && startsRecord(line)) return line;
    isStart = line.at(-1) === 0x0a;
  }
  return null;
}

function readLine(reader: AsyncIterReader): Promise<Line> {
  return reader.readlineRaw(MAX_HEADER_BYTES);
}

function startsRecord(line: Uint8Array): boolean {
  return VERSION.equals(line.subarray(0, VERSION.length));
}

function isBlank(line: Line): boolean {
  return line === null || (line.length <= 2 && BLANK.test(Buffer.from(line).toString('latin1')));
}

/** After damage the reader returns the compressed bytes as they are; a cut end leaves it within a member. */
function isDamaged({ compressed, inflator }: AsyncIterReader, next: Line): boolean {
  return compressed === null || (next === null && inflator?.ended === false);
}

/** Pieces of one size, but the last: the reader finds no compression in a first piece of one byte. */
async function* inPieces(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  for await (const chunk of source) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let from = 0;
    for (; held.length - from >= PIECE_BYTES; from += PIECE_BYTES) yield held.subarray(from, from + PIECE_BYTES);
    held = held.subarray(from);
  }
  if (held.length > 0) yield held;
}

export function isCompressionFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
}
