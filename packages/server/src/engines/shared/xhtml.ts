import { escapeText } from 'entities';

/** Elements that HTML writes without an end tag. */
const VOID_NAMES = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose content HTML reads as it stands. */
const RAW_NAMES = new Set(['script', 'style']);

const COMMENT = { start: '<!--', end: '-->' } as const;
const CDATA = { start: '<![CDATA[', end: ']]>' } as const;
const START_TAG = /<([a-z][^\s/>]*)/iy;

/**
 * XHTML in the syntax of HTML, in which a page is read once it is captured: there `<script/>` begins a script that goes
 * on to the end of the page, and `<a/>` a link. Elements that are closed at once get an end tag, CDATA sections become
 * text; all else stays as it was written. What is not well-formed is left alone, with all that follows.
 */
export function toHtmlSyntax(xhtml: string): string {
  let written = '';
  let kept = 0;
  /** Name in the last start tag; empty once anything has been closed. */
  let name = '';
  for (let open = xhtml.indexOf('<'), end = 0; open !== -1; open = xhtml.indexOf('<', end)) {
    end = endOfMarkup(xhtml, open);
    if (end === -1) break;
    if (xhtml.startsWith(CDATA.start, open)) {
      // Scripts keep the marks: HTML reads them as part of the script, where authors write them as comments.
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

/** Name of the start tag at a position; empty for an end tag and all else. */
function readName(xhtml: string, open: number): string {
  START_TAG.lastIndex = open;
  return START_TAG.exec(xhtml)?.[1] ?? '';
}

/** The position behind the tag, comment or section that begins at `open`; -1: it does not end. */
function endOfMarkup(xhtml: string, open: number): number {
  for (const { start, end } of [COMMENT, CDATA]) {
    if (xhtml.startsWith(start, open)) return behind(xhtml, end, open + start.length);
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

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? -1 : at + mark.length;
}
