/**
 * Code, styles, comments and drawings, which the parse skips: two fifths of an average page. Rare constructs (a comment
 * inside a script, HTML inside a drawing, an unclosed element) are left to the parser.
 */

import { html as HTML, type Token } from 'parse5';
import { MarkSearch } from './mark-search.ts';
import { loadsOnScroll } from './scroll-scripts.ts';
import { findEndTag, findNameEnd, findTagEnd, isLetter } from './scan-tags.ts';

const DATA_SCRIPT = /json|math\/tex/i;
const DATED_SCRIPT = /publi[sc]|pub_?date|post_?date/i;

/** Style sheets with another `media` do not apply to all screens. */
const FOR_SCREENS = new Set(['', 'all', 'screen']);

/** Elements of drawings. Any other tag may end a drawing or contain HTML. */
const DRAWING = new Set(
  (
    'a animate animatemotion animatetransform circle clippath defs desc ellipse feblend fecolormatrix fecomponenttransfer ' +
    'fecomposite fediffuselighting fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur feimage femerge ' +
    'femergenode femorphology feoffset fespecularlighting feturbulence filter g image line lineargradient marker mask ' +
    'metadata mpath path pattern polygon polyline radialgradient rect set stop style svg switch symbol text textpath ' +
    'title tspan use view'
  ).split(' '),
);

/** Tags in them are HTML. */
const HTML_INSIDE = new Set(['desc', 'title']);

/** Values without quotes, which may end with a slash. */
const UNQUOTED = /=\s*[^\s"']/;

/** MathJax 4 writes the source of a formula at the start of its drawing. */
const FORMULA = 'data-latex=';
const NEAR = 500;

const BANG = 33;
const SLASH = 47;
const QUESTION = 63;

/** Tags that `findEnd` and `isNeverClosed` are for, by their id in parse5. */
export const MAY_BE_UNREAD: Uint8Array = new Uint8Array(256);
const { TAG_ID } = HTML;
for (const id of [TAG_ID.SCRIPT, TAG_ID.STYLE, TAG_ID.NOSCRIPT, TAG_ID.SVG, TAG_ID.IFRAME]) MAY_BE_UNREAD[id] = 1;

/** Finds the unread parts of a page, whose tags are asked for in document order. Linear. */
export class UnreadText {
  readonly #readStyle: ((css: string) => void) | undefined;
  readonly #commentEnd = new MarkSearch('-->');
  readonly #oddEnd = new MarkSearch('--!>');
  /** End of the last `<noscript>`: its style sheets are for readers without scripts. -1: none is closed. */
  #noscriptEnd = 0;
  #frameStart = 0;
  #frameEnd = 0;
  /** No drawing that starts before it can be skipped. */
  #drawingFrom = 0;

  /** @param readStyle receives each skipped style sheet for screens */
  constructor(readStyle?: (css: string) => void) {
    this.#readStyle = readStyle;
  }

  /** The index after a comment that starts at `at`; -1 if it is unclosed, or no comment. */
  findCommentEnd(html: string, at: number): number {
    if (!html.startsWith('!--', at + 1)) return -1;
    const end = this.#commentEnd.find(html, at + 2);
    if (end === html.length) return -1;
    // `<!--!>` opens a comment and does not end it.
    const oddEnd = this.#oddEnd.find(html, at + 4);
    return oddEnd > end ? end + 3 : oddEnd + 4;
  }

  /** The index of the end tag, if the parse may skip what is between it and a start tag that ends at `from`; else `from`. */
  findEnd(html: string, { tagID, attrs }: Token.TagToken, from: number): number {
    if (tagID === TAG_ID.NOSCRIPT && this.#noscriptEnd >= 0 && this.#noscriptEnd < from)
      this.#noscriptEnd = findEndTag(html, 'noscript', from);
    if (tagID === TAG_ID.SVG) return from < this.#drawingFrom ? from : this.#findDrawingEnd(html, from);
    if (tagID !== TAG_ID.STYLE && tagID !== TAG_ID.SCRIPT) return from;
    const isStyle = tagID === TAG_ID.STYLE;
    const end = findEndTag(html, isStyle ? 'style' : 'script', from);
    if (end < 0) return from;
    const text = html.slice(from, end);
    if (!isStyle) return isCode(attrs, text) ? end : from;
    const media = attrs.find(({ name }) => name === 'media')?.value ?? '';
    if (from > this.#noscriptEnd && FOR_SCREENS.has(media.trim().toLowerCase())) this.#readStyle?.(text);
    return end;
  }

  /** Whether no end tag belongs to a frame that seems to close itself. */
  isNeverClosed(html: string, at: number): boolean {
    if (this.#frameEnd >= 0 && this.#frameEnd < at) this.#frameEnd = findEndTag(html, 'iframe', at);
    if (this.#frameEnd < 0) return true;
    if (this.#frameStart >= 0 && this.#frameStart < at) this.#frameStart = html.indexOf('<iframe', at);
    return this.#frameStart >= 0 && this.#frameStart < this.#frameEnd;
  }

  #findDrawingEnd(html: string, from: number): number {
    if (html.slice(from, from + NEAR).includes(FORMULA)) return from;
    const open = ['svg'];
    for (let at = html.indexOf('<', from); at >= 0; at = html.indexOf('<', at)) {
      const code = html.charCodeAt(at + 1);
      const isEnd = code === SLASH;
      if (code === BANG) at = this.findCommentEnd(html, at);
      else if (!isLetter(isEnd ? html.charCodeAt(at + 2) : code)) {
        // Such tags are comments, too.
        if (isEnd || code === QUESTION) return this.#giveUp(from, at + 2);
        at++;
      } else {
        const start = isEnd ? at + 2 : at + 1;
        const nameEnd = findNameEnd(html, start);
        const end = findTagEnd(html, nameEnd);
        const name = html.slice(start, nameEnd).toLowerCase();
        const last = open.length - 1;
        if (isEnd) {
          // Other end tags may close elements around the drawing.
          const closed = HTML_INSIDE.has(open[last]) && name !== open[last] ? -1 : open.lastIndexOf(name);
          if (closed < 0) return this.#giveUp(from, end);
          if (closed === 0) return at;
          open.length = closed;
        } else {
          if (!DRAWING.has(name) || HTML_INSIDE.has(open[last])) return this.#giveUp(from, end);
          if (html.charCodeAt(end - 1) !== SLASH) open.push(name);
          else if (UNQUOTED.test(html.slice(nameEnd, end))) return this.#giveUp(from, end);
        }
        at = end;
      }
      if (at < 0) break;
    }
    return this.#giveUp(from, -1);
  }

  #giveUp(from: number, at: number): number {
    this.#drawingFrom = at < 0 ? Infinity : at;
    return from;
  }
}

/** A script with `<!--` may end elsewhere. */
function isCode(attributes: readonly Token.Attribute[], text: string): boolean {
  if (attributes.some(({ name, value }) => DATA_SCRIPT.test(name) || DATA_SCRIPT.test(value))) return false;
  return !DATED_SCRIPT.test(text) && !text.includes('<!--') && !loadsOnScroll(text);
}
