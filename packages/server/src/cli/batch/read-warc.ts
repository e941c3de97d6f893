import { WARCParser } from 'warcio';
import { ByteCollector } from '../../domain/shared/byte-collector.ts';
import { documentKindOf, readContentType } from '../../engines/shared/content-type.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';
import { readWarcRecords } from './warc-records.ts';
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

/** Returns the decoded body; undefined if too large. */
async function readUpTo(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const content = new ByteCollector();
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length <= maxBytes) content.add(chunk);
    else content.take();
  }
  return length <= maxBytes ? content.take() : undefined;
}
