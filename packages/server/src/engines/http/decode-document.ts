import { isAscii } from 'node:buffer';
import { TextDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';
import { findLateMeta } from './find-late-meta.ts';

export interface DecodedDocument {
  readonly text: string;
  /** Canonical, for example `windows-1252`. */
  readonly charset: string;
}

export interface DecodeHints {
  readonly label: string | undefined;
  readonly isXml: boolean;
}

/**
 * Decodes by the HTML standard (13.2.3.2): byte order mark, header, early `<meta>`. Undeclared text is UTF-8 if valid,
 * else decided by a later `<meta>`, finally windows-1252.
 */
export function decodeDocument(bytes: Uint8Array, hints: DecodeHints): DecodedDocument {
  const declared = hints.label === undefined ? {} : { transportLayerEncodingLabel: hints.label };
  const options = hints.isXml ? { ...declared, xml: true as const } : { ...declared, defaultEncoding: UNDECLARED };
  const sniffed = sniffEncoding(bytes, options);
  if (sniffed !== UNDECLARED) return decode(bytes, sniffed);
  const utf8 = decodeUtf8(bytes);
  const isBeyondAscii = utf8 !== undefined && !isAscii(bytes);
  const late = isBeyondAscii ? undefined : findLateMeta(bytes);
  if (late !== undefined) return decode(bytes, late);
  return utf8 === undefined ? decode(bytes, 'windows-1252') : { text: utf8, charset: 'utf-8' };
}

/** No document can declare it. */
const UNDECLARED = 'undeclared';

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array, encoding: string): DecodedDocument {
  // The standard maps dangerous encodings (for example UTF-7) to "replacement".
  const charset = encoding === 'replacement' ? 'utf-8' : encoding.toLowerCase();
  return { text: new TextDecoder(charset).decode(bytes), charset };
}
