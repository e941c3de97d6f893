import { TextDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';

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
 * Decodes a document as the HTML standard says (13.2.3.2): byte order mark, header, `<meta>`. Where all
 * of them are silent the standard leaves detection to us: bytes that are valid UTF-8 are UTF-8,
 * anything else is windows-1252.
 */
export function decodeDocument(bytes: Uint8Array, hints: DecodeHints): DecodedDocument {
  const declared = hints.label === undefined ? {} : { transportLayerEncodingLabel: hints.label };
  const options = hints.isXml ? { ...declared, xml: true as const } : { ...declared, defaultEncoding: UNDECLARED };
  const sniffed = sniffEncoding(bytes, options);
  if (sniffed !== UNDECLARED) return decode(bytes, sniffed);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), charset: 'utf-8' };
  } catch {
    return decode(bytes, 'windows-1252');
  }
}

/** An encoding name that no document can declare: the sniffer gives it back when it found nothing. */
const UNDECLARED = 'undeclared';

function decode(bytes: Uint8Array, encoding: string): DecodedDocument {
  // Encodings that are only there to be abused (UTF-7 and its like) have no decoder: the standard's "replacement".
  const charset = encoding === 'replacement' ? 'utf-8' : encoding.toLowerCase();
  return { text: new TextDecoder(charset).decode(bytes), charset };
}
