import { escapeText } from 'entities';

const VOID_NAMES = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Raw text in HTML. */
const RAW_NAMES = new Set(['script', 'style']);

const COMMENT = { start: '<!--', end: '-->' } as const;
const CDATA = { start: '<![CDATA[', end: ']]>' } as const;
const START_TAG = /<([a-z][^\s/>]*)/iy;

/**
 * Converts XHTML to HTML syntax: self-closing elements get an end tag, CDATA sections become text. Everything after
 * malformed markup stays unchanged.
 */
export function toHtmlSyntax(xhtml: string): string {
  let written = '';
  let kept = 0;
  /** Empty after other markup. */
  let name = '';
  for (let open = xhtml.indexOf('<'), end = 0; open !== -1; open = xhtml.indexOf('<', end)) {
    end = endOfMarkup(xhtml, open);
    if (end === -1) break;
    if (xhtml.startsWith(CDATA.start, open)) {
      // Authors write the markers inside script comments.
      if (RAW_NAMES.has(name)) continue;
      written += xhtml.slice(kept, open) + escapeText(xhtml.slice(open + CDATA.start.length, end - CDATA.end.length));
      kept = end;
      continue;
    }
    name = readName(xhtml, open);
    if (!xhtml.startsWith('/>', end - 2)) continue;
    if (name !== '' && !VOID_NAMES.has(name)) {
      written += `${xhtml.slice(kept, end - 2)}></${name}>`;
      kept = end;
    }
    name = '';
  }
  return written + xhtml.slice(kept);
}

function readName(xhtml: string, open: number): string {
  START_TAG.lastIndex = open;
  return START_TAG.exec(xhtml)?.[1] ?? '';
}

/** Returns the end of a tag, comment or section; -1 if unterminated. */
function endOfMarkup(xhtml: string, open: number): number {
  for (const { start, end } of [COMMENT, CDATA]) {
    if (xhtml.startsWith(start, open)) return indexAfter(xhtml, end, open + start.length);
  }
  let quote = '';
  for (let index = open + 1; index < xhtml.length; index += 1) {
    const character = xhtml.charAt(index);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return index + 1;
  }
  return -1;
}

function indexAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? -1 : at + mark.length;
}
