import { isAscii } from 'node:buffer';
import { TextDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';
import { findLateMeta } from './find-late-meta.ts';

export interface DecodedDocument {
  readonly text: string;
  /** Canonical name of the encoding in lower case, such as `windows-1252`. */
  readonly charset: string;
}

export interface DecodeHints {
  /** The charset parameter of the Content-Type header. */
  readonly label: string | undefined;
  readonly isXml: boolean;
}

/**
 * Decodes a document as the HTML standard says (13.2.3.2): byte order mark, header, `<meta>` in the
 * first 1024 bytes. Where all of them are silent the standard leaves detection to us: bytes beyond ASCII that are
 * valid UTF-8 are UTF-8; anything else is what a later `<meta>` of the head says, in the end UTF-8 or windows-1252.
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

/** An encoding name that no document can declare: the sniffer gives it back when it found nothing. */
const UNDECLARED = 'undeclared';

/** The text of bytes that are valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array, encoding: string): DecodedDocument {
  // Encodings that are only there to be abused (UTF-7 and its like) have no decoder: the standard's "replacement".
  const charset = encoding === 'replacement' ? 'utf-8' : encoding.toLowerCase();
  return { text: new TextDecoder(charset).decode(bytes), charset };
}
