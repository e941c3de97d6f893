export interface TextPage {
  readonly content: string;
  readonly offset: number;
  readonly total_chars: number;
  readonly next_offset: number | null;
}

/**
 * Returns a page of the text. Successive pages neither overlap nor split surrogate pairs.
 * @param maxChars UTF-16 code units, at least 2
 */
export function cutText(text: string, start: number, maxChars: number): TextPage {
  const offset = splitsPair(text, start) ? start - 1 : Math.min(start, text.length);
  const limit = Math.min(offset + maxChars, text.length);
  const end = splitsPair(text, limit) ? limit - 1 : limit;
  return {
    content: text.slice(offset, end),
    offset,
    total_chars: text.length,
    next_offset: end < text.length ? end : null,
  };
}

function splitsPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);
}

function isBetween(code: number, least: number, most: number): boolean {
  return code >= least && code <= most;
}
