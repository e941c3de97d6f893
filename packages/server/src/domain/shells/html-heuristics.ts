/** HTML heuristics, only for recognising app shells and block pages. */
import { findEndTag } from '@winnow/extract/tags';

/** Elements without visible content. */
const UNSEEN_NAME = /(?:script|style|noscript|template|head|svg|iframe|textarea|select)(?![a-z0-9-])/iy;

/** As in `\s`. */
const WIDE_SPACE = new Set(
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
);

/** Counts visible characters with collapsed white space. */
export function countVisibleText(html: string, limit: number): number {
  const unclosed = new Set<string>();
  let count = 0;
  let position = 0;
  while (position < html.length && count < limit) {
    const open = html.indexOf('<', position);
    count += countText(html, position, open < 0 ? html.length : open, limit - count);
    if (open < 0) break;
    position = skipTag(html, open, unclosed);
  }
  return Math.min(count, limit);
}

function countText(html: string, from: number, to: number, enough: number): number {
  let count = 0;
  let isAfterSpace = false;
  for (let index = from; index < to && count < enough; index += 1) {
    if (isSpace(html.charCodeAt(index))) isAfterSpace = count > 0;
    else {
      count += isAfterSpace ? 2 : 1;
      isAfterSpace = false;
    }
  }
  return count;
}

function isSpace(code: number): boolean {
  if (code > 0x20 && code < 0x80) return false;
  return code < 0x80 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : WIDE_SPACE.has(String.fromCharCode(code));
}

/** @param unclosed names known to have no end tag */
function skipTag(html: string, open: number, unclosed: Set<string>): number {
  if (html.startsWith('<!--', open)) return endOf(html, '-->', open + 4);
  const close = endOf(html, '>', open);
  // Fast exit: half of all tags are end tags.
  if (html.startsWith('/', open + 1)) return close;
  UNSEEN_NAME.lastIndex = open + 1;
  const name = UNSEEN_NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined || unclosed.has(name)) return close;
  const ending = findEndTag(html, name, close);
  if (ending >= 0) return endOf(html, '>', ending);
  unclosed.add(name);
  return close;
}

function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

export function readTitleText(html: string): string {
  const title = /<title[^<>]*>([^<]{0,500})/i.exec(html.slice(0, 200_000))?.[1] ?? '';
  return title.replace(/\s+/g, ' ').trim();
}
