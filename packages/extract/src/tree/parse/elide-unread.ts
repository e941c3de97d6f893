/**
 * Removes code, styles, comments and drawings before the parse: two fifths of an average page.
 *
 * The scan follows the tokenizer of the HTML standard (13.2.5). Rare constructs (a comment inside a script, HTML inside
 * a drawing, an unclosed element) are left to the parser.
 */

import { indexLengths, mayBeName } from '../name-lengths.ts';
import { findEndTag, findNameEnd, findTagEnd, isLetter } from './scan-tags.ts';

const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

const DATA_SCRIPT = /json|math\/tex/i;
const DATED_SCRIPT = /publi[sc]|pub_?date|post_?date/i;

/** A style sheet that does not apply to all screens. */
const OTHER_MEDIA = /\smedia\s*=\s*(?!["'](?:all|screen)["']|(?:all|screen)(?:[\s/]|$))/i;

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

/** MathJax 4 writes the source of a formula at the start of its drawing. */
const FORMULA = 'data-latex=';
const NEAR = 500;

/** Start tags that the scan handles; it skips all others. */
const SCANNED_NAMES = [...RAW_TEXT, 'svg', 'plaintext', 'noscript'];
const SCANNED_LENGTHS = indexLengths([...SCANNED_NAMES, ...SCANNED_NAMES.map((name) => name.toUpperCase())]);

const BANG = 33;
const SLASH = 47;

/**
 * Removes unread text in linear time.
 *
 * @param readStyle receives each removed style sheet for screens
 */
export function elideUnread(html: string, readStyle?: (css: string) => void): string {
  return new Scan(html, readStyle).run();
}

class Scan {
  readonly #html: string;
  readonly #readStyle: ((css: string) => void) | undefined;
  readonly #kept: string[] = [];
  /** Start of kept text that is not in `#kept` yet. */
  #from = 0;
  /** Start of the current drawing's content; -1 outside. */
  #drawing = -1;
  #drawingDepth = 0;
  /** Next comment end `-->`, so that it is searched once only. */
  #commentEnd = 0;
  /** End of the last `<noscript>`: its style sheets are for readers without scripts. Infinity: none is closed. */
  #noscriptEnd = 0;
  #frameStart = 0;
  #frameEnd = 0;

  constructor(html: string, readStyle: ((css: string) => void) | undefined) {
    this.#html = html;
    this.#readStyle = readStyle;
  }

  run(): string {
    const html = this.#html;
    for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
      const code = html.charCodeAt(at + 1);
      if (code === BANG) at = this.#passDeclaration(at);
      else if (isLetter(code)) at = this.#passStartTag(at);
      else if (code === SLASH && isLetter(html.charCodeAt(at + 2))) at = this.#passEndTag(at);
      else at++;
      if (at < 0) break;
    }
    if (this.#from === 0) return html;
    this.#kept.push(html.slice(this.#from));
    return this.#kept.join('');
  }

  #cut(start: number, end: number): void {
    if (start === end) return;
    this.#kept.push(this.#html.slice(this.#from, start));
    this.#from = end;
  }

  #insert(at: number, text: string): void {
    this.#kept.push(this.#html.slice(this.#from, at), text);
    this.#from = at;
  }

  #isNeverClosed(at: number): boolean {
    if (this.#frameEnd >= 0 && this.#frameEnd < at) this.#frameEnd = findEndTag(this.#html, 'iframe', at);
    if (this.#frameEnd < 0) return true;
    if (this.#frameStart >= 0 && this.#frameStart < at) this.#frameStart = this.#html.indexOf('<iframe', at);
    return this.#frameStart >= 0 && this.#frameStart < this.#frameEnd;
  }

  #isInNoscript(at: number): boolean {
    return at < this.#noscriptEnd && this.#noscriptEnd !== Infinity;
  }

  /** Skips a comment or document type; -1 if it is unclosed. */
  #passDeclaration(at: number): number {
    const html = this.#html;
    if (!html.startsWith('--', at + 2)) return html.indexOf('>', at + 2);
    if (this.#commentEnd < at + 2) this.#commentEnd = html.indexOf('-->', at + 2);
    const end = this.#commentEnd;
    if (end < 0) return -1;
    const oddEnd = html.slice(at, end).indexOf('--!>');
    const past = oddEnd < 0 ? end + 3 : at + oddEnd + 4;
    if (this.#drawing < 0) this.#cut(at, past);
    return past;
  }

  #passStartTag(at: number): number {
    const html = this.#html;
    const nameEnd = findNameEnd(html, at + 1);
    const end = findTagEnd(html, nameEnd);
    if (end < 0) return -1;
    if (this.#drawing < 0 && !mayBeName(SCANNED_LENGTHS, html.charCodeAt(at + 1), nameEnd - at - 1)) return end;
    const name = html.slice(at + 1, nameEnd).toLowerCase();
    const closesItself = html.charCodeAt(end - 1) === SLASH;
    if (this.#drawing >= 0) {
      if (!DRAWING.has(name)) this.#drawing = -1;
      else if (name === 'svg' && !closesItself) this.#drawingDepth++;
      return end;
    }
    if (name === 'plaintext') return -1;
    if (name === 'noscript') {
      if (this.#noscriptEnd < end) this.#noscriptEnd = orInfinity(findEndTag(html, name, end));
      return end;
    }
    if (closesItself) {
      if (name === 'iframe' && this.#isNeverClosed(end)) this.#insert(end + 1, '</iframe>');
      return end;
    }
    if (name === 'svg') {
      if (html.slice(end, end + NEAR).includes(FORMULA)) return end;
      this.#drawing = end + 1;
      this.#drawingDepth = 1;
      return end;
    }
    return RAW_TEXT.has(name) ? this.#passRawText(name, at, end) : end;
  }

  #passRawText(name: string, at: number, end: number): number {
    const html = this.#html;
    const close = findEndTag(html, name, end + 1);
    if (close < 0) return -1;
    if (name === 'style' || (name === 'script' && isCode(html.slice(at, end), html.slice(end + 1, close)))) {
      if (name === 'style' && !this.#isInNoscript(at) && !OTHER_MEDIA.test(html.slice(at, end)))
        this.#readStyle?.(html.slice(end + 1, close));
      this.#cut(end + 1, close);
    }
    return close;
  }

  #passEndTag(at: number): number {
    const html = this.#html;
    const nameEnd = findNameEnd(html, at + 2);
    const end = findTagEnd(html, nameEnd);
    if (this.#drawing >= 0 && html.slice(at + 2, nameEnd).toLowerCase() === 'svg') {
      this.#drawingDepth--;
      if (this.#drawingDepth === 0) {
        this.#cut(this.#drawing, at);
        this.#drawing = -1;
      }
    }
    return end;
  }
}

/** A script with `<!--` may end elsewhere. */
function isCode(tag: string, text: string): boolean {
  return !DATA_SCRIPT.test(tag) && !DATED_SCRIPT.test(text) && !text.includes('<!--');
}

function orInfinity(index: number): number {
  return index < 0 ? Infinity : index;
}
