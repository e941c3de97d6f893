import { WARCParser } from 'warcio';
import { ByteCollector } from '../../domain/shared/byte-collector.ts';
import { documentKindOf, readContentType } from '../../engines/shared/content-type.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';
import { inPieces, readWarcRecords } from './warc-records.ts';
import type { WarcDamage } from './warc-records.ts';

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
