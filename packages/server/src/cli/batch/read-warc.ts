import { WARCParser } from 'warcio';
import { documentKindOf, readContentType } from '../../engines/shared/content-type.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';
import { readWarcRecords } from './warc-records.ts';
import type { WarcDamage } from './warc-records.ts';

/** One page of a crawl archive. */
export interface WarcPage {
  /** WARC-Record-ID without its angle brackets; the record's number where it has none. */
  readonly id: string;
  readonly url: string;
  readonly html: string;
  readonly statusCode: number;
  readonly fetchedAt: string | null;
  readonly contentLanguage: string | null;
}

/** Bytes of a record beside those of its page: headers, and what an encoding adds. */
const MAX_RECORD_OVERHEAD = 1024 * 1024;

/**
 * Returns the HTML pages of a WARC file (ISO 28500), compressed or not: response records with a 2xx status and an HTML or
 * XHTML document of at most `maxBytes`. Other records are passed over, damaged ones are told to `onDamage`. Memory holds
 * one record at a time.
 * @throws {NotWarcError} when the input is no WARC file
 */
export async function* readWarc(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onDamage: (damage: WarcDamage) => void,
): AsyncGenerator<WarcPage> {
  let number = 0;
  const maxRecordBytes = 2 * maxBytes + MAX_RECORD_OVERHEAD;
  for await (const bytes of readWarcRecords(input, { maxRecordBytes, onDamage })) {
    number += 1;
    const record = await WARCParser.parse([bytes]);
    const url = record?.warcTargetURI;
    const httpHeaders = record?.httpHeaders;
    if (record?.warcType !== 'response' || url === null || url === undefined || !httpHeaders) continue;
    const statusCode = Number(httpHeaders.statusCode);
    const { mediaType, charset: label } = readContentType(httpHeaders.headers.get('Content-Type'));
    if (statusCode < 200 || statusCode > 299 || documentKindOf(mediaType) !== 'html') continue;
    const content = await readUpTo(record, maxBytes);
    if (content === undefined) continue;
    const isXml = mediaType?.endsWith('xml') ?? false;
    yield {
      id: record.warcHeader('WARC-Record-ID')?.replaceAll(/^<|>$/g, '') ?? `record-${number}`,
      url,
      html: decodeDocument(content, { label, isXml }).text,
      statusCode,
      fetchedAt: record.warcDate ?? null,
      contentLanguage: httpHeaders.headers.get('Content-Language') ?? null,
    };
  }
}

/** The record's content, its transfer and content encodings undone; undefined when it is too large. */
async function readUpTo(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length <= maxBytes) parts.push(chunk);
    else parts.length = 0;
  }
  return length <= maxBytes ? Buffer.concat(parts) : undefined;
}
