import type { Readable } from 'node:stream';
import { WARCParser } from 'warcio';
import { documentKindOf, readContentType } from '../../engines/content-type.ts';
import { decodeDocument } from '../../engines/http/decode-document.ts';

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

/**
 * The HTML pages of a WARC file (ISO 28500), compressed or not: response records with a 2xx status and an HTML or
 * XHTML document of at most `maxBytes`. Every other record is passed by. Memory holds one record at a time.
 */
export async function* readWarc(input: Readable, maxBytes: number): AsyncGenerator<WarcPage> {
  let number = 0;
  for await (const record of new WARCParser(input as AsyncIterable<Uint8Array>)) {
    number += 1;
    const url = record.warcTargetURI;
    const { httpHeaders } = record;
    if (record.warcType !== 'response' || url === null || url === undefined || !httpHeaders) continue;
    const statusCode = Number(httpHeaders.statusCode);
    const { mediaType, charset: label } = readContentType(httpHeaders.headers.get('Content-Type'));
    if (statusCode < 200 || statusCode > 299 || documentKindOf(mediaType) !== 'html') continue;
    const bytes = await readUpTo(record, maxBytes);
    if (bytes === undefined) continue;
    const isXml = mediaType?.endsWith('xml') ?? false;
    yield {
      id: record.warcHeader('WARC-Record-ID')?.replaceAll(/^<|>$/g, '') ?? `record-${number}`,
      url,
      html: decodeDocument(bytes, { label, isXml }).text,
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
