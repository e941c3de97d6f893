import { setImmediate as nextTurn } from 'node:timers/promises';
import { escapeText } from 'entities';

const VOID_NAMES = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Raw text in HTML. */
const RAW_NAMES = new Set(['script', 'style']);

const COMMENT = { start: '<!--', end: '-->' } as const;
const CDATA = { start: '<![CDATA[', end: ']]>' } as const;
const [EXCLAMATION_MARK, QUOTE, APOSTROPHE, SLASH, GREATER_THAN] = [0x21, 0x22, 0x27, 0x2f, 0x3e] as const;
const START_TAG = /<([a-z][^\s/>]*)/iy;

/** Tags in one turn of the event loop. */
const MAX_TAGS = 20_000;

/**
 * Converts XHTML to HTML syntax: self-closing elements get an end tag, CDATA sections become text. Everything after
 * malformed markup stays unchanged.
 */
export async function toHtmlSyntax(xhtml: string): Promise<string> {
  let written = '';
  let kept = 0;
  /** Start of the last tag; -1 after an empty element. */
  let tag = -1;
  let tags = 0;
  for (let open = xhtml.indexOf('<'), end = 0; open !== -1; open = xhtml.indexOf('<', end)) {
    if (++tags % MAX_TAGS === 0) await nextTurn();
    end = endOfMarkup(xhtml, open);
    if (end === -1) break;
    if (xhtml.startsWith(CDATA.start, open)) {
      // Authors write the markers inside script comments.
      if (RAW_NAMES.has(readName(xhtml, tag))) continue;
      written += xhtml.slice(kept, open) + escapeText(xhtml.slice(open + CDATA.start.length, end - CDATA.end.length));
      kept = end;
      continue;
    }
    tag = open;
    if (xhtml.charCodeAt(end - 2) !== SLASH) continue;
    const name = readName(xhtml, open);
    if (name !== '' && !VOID_NAMES.has(name)) {
      written += `${xhtml.slice(kept, end - 2)}></${name}>`;
      kept = end;
    }
    tag = -1;
  }
  return written + xhtml.slice(kept);
}

/** @returns an empty string for other markup */
function readName(xhtml: string, open: number): string {
  if (open < 0) return '';
  START_TAG.lastIndex = open;
  return START_TAG.exec(xhtml)?.[1] ?? '';
}

/** Returns the end of a tag, comment or section; -1 if unterminated. */
function endOfMarkup(xhtml: string, open: number): number {
  if (xhtml.charCodeAt(open + 1) === EXCLAMATION_MARK) {
    for (const { start, end } of [COMMENT, CDATA])
      if (xhtml.startsWith(start, open)) return indexAfter(xhtml, end, open + start.length);
  }
  let quote = 0;
  for (let index = open + 1; index < xhtml.length; index += 1) {
    const code = xhtml.charCodeAt(index);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
    else if (code === GREATER_THAN) return index + 1;
  }
  return -1;
}

function indexAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? -1 : at + mark.length;
}
