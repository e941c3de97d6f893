import { isAscii } from 'node:buffer';
import { TextDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';
import { findLateMeta } from './find-late-meta.ts';

export interface DecodedDocument {
  readonly text: string;
  /** Canonical encoding name in lower case, for example `windows-1252`. */
  readonly charset: string;
}

export interface DecodeHints {
  readonly label: string | undefined;
  readonly isXml: boolean;
}

/**
 * Decodes a document by the HTML standard (13.2.3.2): byte order mark, header, `<meta>` in the first 1024 bytes.
 * Undeclared valid UTF-8 is UTF-8; else a later `<meta>` in the head decides, finally UTF-8 or windows-1252.
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

/** Default encoding that no document can declare, to detect that the sniffer found none. */
const UNDECLARED = 'undeclared';

/** Decodes valid UTF-8, else returns undefined. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array, encoding: string): DecodedDocument {
  // Dangerous encodings (for example UTF-7) map to the standard's "replacement" and have no decoder.
  const charset = encoding === 'replacement' ? 'utf-8' : encoding.toLowerCase();
  return { text: new TextDecoder(charset).decode(bytes), charset };
}
