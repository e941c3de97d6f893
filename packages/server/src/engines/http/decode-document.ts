import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';
import { detectEncoding, JAPANESE_ESCAPE } from './detect-encoding.ts';

interface DecodedDocument {
  readonly text: string;
  /** Canonical, for example `windows-1252`. */
  readonly charset: string;
}

interface DecodeHints {
  readonly label: string | undefined;
  readonly isXml: boolean;
}

/**
 * Decodes by the HTML standard (13.2.3.2): byte order mark, header, early `<meta>`. Undeclared text is UTF-8 if it reads
 * as such, else decided by a later `<meta>`, finally by its letters, as Chromium does. A declaration that the bytes
 * contradict does not count: UTF-8 that is none, and another encoding for what is UTF-8.
 */
export async function decodeDocument(bytes: Uint8Array, hints: DecodeHints): Promise<DecodedDocument> {
  const declared = hints.label === undefined ? {} : { transportLayerEncodingLabel: hints.label };
  const options = hints.isXml ? { ...declared, xml: true as const } : { ...declared, defaultEncoding: UNDECLARED };
  const sniffed = sniffEncoding(bytes, options).toLowerCase();
  const wide = sniffed === UNDECLARED ? findWideEncoding(bytes) : undefined;
  if (wide !== undefined) return decode(bytes, wide);
  const isPlain = isAscii(bytes);
  const isTrusted = sniffed !== UNDECLARED && sniffed !== 'utf-8';
  const utf8 = isPlain ? undefined : decodeUtf8(bytes, isTrusted ? MIN_CONTRADICTING : 1);
  if (utf8 !== undefined) return { text: utf8, charset: 'utf-8' };
  if (isTrusted || (isPlain && sniffed === 'utf-8')) return decode(bytes, sniffed);
  const late = findLateMeta(bytes);
  if (late !== undefined && late !== 'UTF-8') return decode(bytes, late);
  if (isPlain && !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(JAPANESE_ESCAPE))
    return decode(bytes, 'utf-8');
  return decode(bytes, await detectEncoding(bytes));
}

/** No document can declare it. */
const UNDECLARED = 'undeclared';
/** Text in another encoding may look like UTF-8 by chance if it is two or three characters ("联通" in GBK), not ten. */
const MIN_CONTRADICTING = 10;
/** A few wrong bytes do not make a text of another encoding; text in another one has hardly any right sequence. */
const MAX_WRONG = 0.2;

/** Returns undefined for text in another encoding, or with fewer characters beyond ASCII than `least`. */
function decodeUtf8(bytes: Uint8Array, least: number): string | undefined {
  if (least > 1 && !isUtf8(bytes)) return undefined;
  const text = new TextDecoder('utf-8').decode(bytes);
  // Most pages have no wrong bytes, and a few characters tell.
  const enough = text.includes('\ufffd') ? Infinity : least;
  let foreign = 0;
  let wrong = 0;
  for (let i = 0; i < text.length && foreign < enough; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    foreign += 1;
    if (code === 0xff_fd) wrong += 1;
  }
  return foreign >= least && wrong <= foreign * MAX_WRONG ? text : undefined;
}

const PROBED_BYTES = 64;

/** UTF-16 without a byte order mark: every second byte of its first markup is zero. */
function findWideEncoding(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, PROBED_BYTES);
  const even = start.filter((byte, index) => byte === 0 && index % 2 === 0).length;
  const odd = start.filter((byte, index) => byte === 0 && index % 2 === 1).length;
  if (odd > start.length / 4 && even === 0) return 'utf-16le';
  return even > start.length / 4 && odd === 0 ? 'utf-16be' : undefined;
}

function decode(bytes: Uint8Array, encoding: string): DecodedDocument {
  // The standard maps dangerous encodings (for example UTF-7) to "replacement".
  const charset = encoding === 'replacement' ? 'utf-8' : encoding.toLowerCase();
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

/** Scripts can move `<meta>` beyond 1024 bytes. */
const MAX_HEAD_BYTES = 65_536;

/** Each alternative also ends at the end of input, so matching is linear. */
const TOKEN =
  /<!--(?:-?>|[^]*?(?:-->|$))|<(script|style|title|textarea)(?=[\s>/])[^]*?(?:<\/\1|$)|(<\/head(?=[\s>/])|<body(?=[\s>/]))|<(?:(meta(?=[\s/]))|[a-z/!?])(?:=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$))|[^>])*?(?:>|$)/gi;

/** Returns the encoding of a `<meta>` after the first 1024 bytes, which browsers honour too. */
function findLateMeta(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, MAX_HEAD_BYTES);
  for (const { index, 0: token, 2: end, 3: meta } of Buffer.from(head).toString('latin1').matchAll(TOKEN)) {
    if (end !== undefined) return undefined;
    if (meta === undefined) continue;
    const tag = head.subarray(index, index + token.length);
    const encoding = sniffEncoding(tag, { defaultEncoding: '', maxPrescanBytes: Infinity });
    if (encoding !== '') return encoding;
  }
  return undefined;
}
