// oxlint-disable no-underscore-dangle -- parse5's method names
import { decodeHTMLAttribute } from 'entities';
import {
  html as HTML,
  InsertionMode,
  Token,
  Tokenizer,
  TokenizerMode,
  type Parser,
  type ParserOptions,
  type TreeAdapterTypeMap,
} from 'parse5';
import { BoundedParser } from './bounded-parser.ts';
import { MarkSearch } from './mark-search.ts';
import { readName } from './shared-names.ts';
import { MAY_BE_UNREAD, type UnreadText } from './unread-text.ts';

/** Ends of runs, as bits by UTF-16 code unit. */
const LESS_THAN = 1;
const AMPERSAND = 2;
const NULL = 4;
const SPACE = 8;
const DOUBLE_QUOTE = 16;
const SINGLE_QUOTE = 32;
const UNQUOTED_END = 64;
const INK = 128;

const TEXT_END = LESS_THAN | AMPERSAND | NULL;
const RAW_TEXT_END = LESS_THAN | NULL;

const ENDS: Uint8Array = new Uint8Array(65536).fill(INK);
for (const [bits, chars] of [
  [LESS_THAN | INK, '<'],
  [AMPERSAND | INK | UNQUOTED_END, '&'],
  [NULL | INK | UNQUOTED_END, '\0'],
  [SPACE | UNQUOTED_END, ' \t\n\f\r'],
  [DOUBLE_QUOTE | INK | UNQUOTED_END, '"'],
  [SINGLE_QUOTE | INK | UNQUOTED_END, "'"],
  [INK | UNQUOTED_END, '<>=`'],
] as const)
  for (const char of chars) ENDS[char.charCodeAt(0)] |= bits;
for (const char of ' \t\n\f\r') ENDS[char.charCodeAt(0)] &= ~INK;

/** Lower-case letters, digits and some marks. */
const IN_NAME: Uint8Array = new Uint8Array(65536);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-_:.') IN_NAME[char.charCodeAt(0)] = 1;

const FEW_ATTRIBUTES = 16;

const NOT_ASCII = 128;
const SPACE_CODE = 32;
const BANG = 33;
const SLASH = 47;
const OPEN = 60;
const EQUALS = 61;
const CLOSE = 62;
const DOUBLE = 34;
const SINGLE = 39;

/**
 * parse5's parser with a tokenizer that consumes runs of plain characters at once, without source locations, and skips
 * what is unread. The input must have no CR.
 */
export class RunParser<T extends TreeAdapterTypeMap> extends BoundedParser<T> {
  constructor(options: ParserOptions<T>, unread?: UnreadText) {
    super(options);
    this.tokenizer = new RunTokenizer(this, unread);
  }

  run(html: string): T['document'] {
    this.tokenizer.write(html, true);
    return this.document;
  }
}

class RunTokenizer<T extends TreeAdapterTypeMap> extends Tokenizer {
  readonly #parser: Parser<T>;
  readonly #unread: UnreadText | undefined;
  /** Values of `class`, each once: equal strings at one address are faster keys. */
  readonly #classes = new Map<string, string>();
  /** Attributes of the current tag, in one array for all. */
  readonly #found: Token.Attribute[] = [];
  #valueEnd = 0;
  /** Takes a third of the time of reading the characters. */
  readonly #tagStart = new MarkSearch('<');
  readonly #ampersand = new MarkSearch('&');
  readonly #nul = new MarkSearch('\0');

  constructor(parser: Parser<T>, unread: UnreadText | undefined) {
    super({ sourceCodeLocationInfo: false }, parser);
    this.#parser = parser;
    this.#unread = unread;
    // The whole page is in memory anyway.
    this.preprocessor.bufferWaterline = Infinity;
  }

  protected override _stateData(cp: number): void {
    const { preprocessor } = this;
    const { html } = preprocessor;
    let code = cp;
    for (;;) {
      if (!isEnd(code, TEXT_END)) this.#passText(code, TEXT_END);
      else if (code !== OPEN || !this.#passTag()) return super._stateData(code);
      const next = preprocessor.pos + 1;
      code = next < html.length ? html.charCodeAt(next) : NOT_ASCII;
      if (code >= NOT_ASCII || this.state !== TokenizerMode.DATA) return;
      preprocessor.pos = next;
    }
  }

  protected override _stateRcdata(cp: number): void {
    if (isEnd(cp, TEXT_END)) super._stateRcdata(cp);
    else this.#passText(cp, TEXT_END);
  }

  protected override _stateRawtext(cp: number): void {
    if (isEnd(cp, RAW_TEXT_END)) super._stateRawtext(cp);
    else this.#passText(cp, RAW_TEXT_END);
  }

  protected override _stateScriptData(cp: number): void {
    if (isEnd(cp, RAW_TEXT_END)) super._stateScriptData(cp);
    else this.#passText(cp, RAW_TEXT_END);
  }

  protected override _stateTagName(cp: number): void {
    if (IN_NAME[cp] !== 1) super._stateTagName(cp);
    else (this.currentToken as Token.TagToken).tagName += this.#passName();
  }

  protected override _stateAttributeName(cp: number): void {
    if (IN_NAME[cp] !== 1) super._stateAttributeName(cp);
    else this.currentAttr.name += this.#passName();
  }

  protected override _stateBeforeAttributeName(cp: number): void {
    if (IN_NAME[cp] !== 1) return super._stateBeforeAttributeName(cp);
    const { preprocessor } = this;
    const { html } = preprocessor;
    const at = this.#passAttributes(html, preprocessor.pos);
    const next = at < html.length ? html.charCodeAt(at) : NOT_ASCII;
    if (next < NOT_ASCII) {
      preprocessor.pos = at;
      super._stateBeforeAttributeName(next);
    } else preprocessor.pos = at - 1;
  }

  /** Returns false if the name is not plain. */
  #passTag(): boolean {
    const { preprocessor } = this;
    const { html, pos } = preprocessor;
    const first = html.charCodeAt(pos + 1);
    if (first === BANG) return this.#passComment();
    const isEndTag = first === SLASH;
    const start = isEndTag ? pos + 2 : pos + 1;
    const nameEnd = isSmallLetter(html.charCodeAt(start)) ? findNameEnd(html, start) : start;
    if (nameEnd === start || nameEnd >= html.length) return false;
    let at = nameEnd;
    const isClosed = closesTag(html, at);
    if (!isClosed && (ENDS[html.charCodeAt(at)] & SPACE) === 0) return false;
    if (isEndTag) this._createEndTagToken();
    else this._createStartTagToken();
    const token = this.currentToken as Token.TagToken;
    token.tagName = readName(html, start, nameEnd);
    if (!isClosed) {
      at = this.#passAttributes(html, skipSpace(html, at));
      if (!closesTag(html, at)) {
        preprocessor.pos = at - 1;
        super._stateTagName(SPACE_CODE);
        return true;
      }
    }
    token.selfClosing = html.charCodeAt(at) === SLASH;
    preprocessor.pos = token.selfClosing ? at + 1 : at;
    this.emitCurrentTagToken();
    return true;
  }

  /** Returns false if it is not skipped. */
  #passComment(): boolean {
    const { html, pos } = this.preprocessor;
    const end = this.#unread?.findCommentEnd(html, pos) ?? -1;
    if (end < 0) return false;
    this.preprocessor.pos = end - 1;
    if (this.#parser.skipNextNewLine) {
      this._emitCurrentCharacterToken(null);
      this.#parser.skipNextNewLine = false;
    }
    return true;
  }

  protected override emitCurrentTagToken(): void {
    const token = this.currentToken as Token.TagToken;
    super.emitCurrentTagToken();
    if (MAY_BE_UNREAD[token.tagID] === 1 && token.type === Token.TokenType.START_TAG) this.#passUnread(token);
  }

  #passUnread(token: Token.TagToken): void {
    const { preprocessor, state } = this;
    const { html, pos } = preprocessor;
    if (this.#unread === undefined) return;
    if (token.tagID !== HTML.TAG_ID.IFRAME) {
      // In a drawing, the text of `<style>` is no raw text.
      const isRaw = state === TokenizerMode.RAWTEXT || state === TokenizerMode.SCRIPT_DATA;
      const hasRawText = token.tagID === HTML.TAG_ID.SCRIPT || token.tagID === HTML.TAG_ID.STYLE;
      // Where drawings are not allowed, their tags are ignored.
      const isDrawing = token.tagID === HTML.TAG_ID.SVG;
      const isOpen = !isDrawing || (!token.selfClosing && this.#parser.openElements.currentTagId === token.tagID);
      if (isRaw === hasRawText && isOpen) preprocessor.pos = this.#unread.findEnd(html, token, pos + 1) - 1;
    } else if (state === TokenizerMode.RAWTEXT && html.charCodeAt(pos - 1) === SLASH) {
      if (!this.#unread.isNeverClosed(html, pos)) return;
      this.state = TokenizerMode.DATA;
      this._createEndTagToken();
      (this.currentToken as Token.TagToken).tagName = 'iframe';
      super.emitCurrentTagToken();
    }
  }

  protected override _stateAttributeValueDoubleQuoted(cp: number): void {
    super._stateAttributeValueDoubleQuoted(cp);
    if (!isEnd(cp, DOUBLE_QUOTE | AMPERSAND | NULL)) this.#extendRunTo(DOUBLE_QUOTE | AMPERSAND | NULL);
  }

  protected override _stateAttributeValueSingleQuoted(cp: number): void {
    super._stateAttributeValueSingleQuoted(cp);
    if (!isEnd(cp, SINGLE_QUOTE | AMPERSAND | NULL)) this.#extendRunTo(SINGLE_QUOTE | AMPERSAND | NULL);
  }

  protected override _stateAttributeValueUnquoted(cp: number): void {
    super._stateAttributeValueUnquoted(cp);
    if (!isEnd(cp, UNQUOTED_END)) this.#extendRunTo(UNQUOTED_END);
  }

  /** parse5 expects white space as a separate token where insertion modes distinguish it. */
  #passText(cp: number, ends: number): void {
    if (this.#joinsSpaces() && this.#hasInk(ends)) {
      this._ensureCharacterToken(Token.TokenType.CHARACTER);
      this._extendRun(cp);
      const { html, pos } = this.preprocessor;
      const special = ends === TEXT_END ? this.#findSpecial(html, pos) : this.#nul.find(html, pos);
      this.runEnd = Math.min(this.#tagStart.find(html, pos), special);
      this.preprocessor.pos = this.runEnd - 1;
    } else {
      this._emitCodePoint(cp);
      this.#extendRunTo(isEnd(cp, SPACE) ? INK : ends | SPACE);
    }
  }

  /** Cuts the run without a copy: strings of this parse share the page anyway. */
  override _flushRun(text: string): void {
    const { runStart, runEnd, currentToken } = this;
    if (runEnd === runStart && text.length === 0) return;
    const run = this.preprocessor.html.slice(runStart, runEnd) + text;
    this.runStart = runEnd;
    if (currentToken === null) this.currentCharacterToken!.chars += run;
    else if (currentToken.type === Token.TokenType.COMMENT) currentToken.data += run;
    else this.currentAttr.value += run;
  }

  #joinsSpaces(): boolean {
    const { insertionMode, skipNextNewLine } = this.#parser;
    return (
      !skipNextNewLine &&
      (insertionMode === InsertionMode.IN_BODY ||
        insertionMode === InsertionMode.IN_CELL ||
        insertionMode === InsertionMode.TEXT)
    );
  }

  #hasInk(ends: number): boolean {
    const { html, pos } = this.preprocessor;
    let at = pos;
    while (at < html.length && (ENDS[html.charCodeAt(at)] & INK) === 0) at++;
    return at < html.length && (ENDS[html.charCodeAt(at)] & ends) === 0;
  }

  #extendRunTo(ends: number): void {
    const { preprocessor } = this;
    const { html } = preprocessor;
    let at = preprocessor.pos + 1;
    while (at < html.length && (ENDS[html.charCodeAt(at)] & ends) === 0) at++;
    preprocessor.pos = at - 1;
    this.runEnd = at;
  }

  /** Returns the next `&` or NUL. */
  #findSpecial(html: string, from: number): number {
    return Math.min(this.#ampersand.find(html, from), this.#nul.find(html, from));
  }

  #share(classes: string): string {
    const known = this.#classes.get(classes);
    if (known === undefined) this.#classes.set(classes, classes);
    return known ?? classes;
  }

  #passName(): string {
    const { preprocessor } = this;
    const { html, pos } = preprocessor;
    const end = findNameEnd(html, pos);
    preprocessor.pos = end - 1;
    return html.slice(pos, end);
  }

  /** Returns undefined for a value with a NUL or an odd mark, or without an end. */
  #passValue(html: string, from: number): string | undefined {
    const quote = html.charCodeAt(from);
    if (quote === DOUBLE || quote === SINGLE) {
      const end = html.indexOf(quote === DOUBLE ? '"' : "'", from + 1);
      if (end < 0 || end > this.#nul.find(html, from)) return undefined;
      this.#valueEnd = end + 1;
      const value = html.slice(from + 1, end);
      return end > this.#ampersand.find(html, from) ? decodeHTMLAttribute(value) : value;
    }
    let end = from;
    while (end < html.length && (ENDS[html.charCodeAt(end)] & UNQUOTED_END) === 0) end++;
    if (end === from || end === html.length || !endsAttribute(html.charCodeAt(end))) return undefined;
    this.#valueEnd = end;
    return html.slice(from, end);
  }

  /** Returns undefined if a value, or more of the name, follows. */
  #passNoValue(html: string, nameEnd: number): string | undefined {
    const after = skipSpace(html, nameEnd);
    const code = after < html.length ? html.charCodeAt(after) : EQUALS;
    if (code === EQUALS || (after === nameEnd && code !== CLOSE && code !== SLASH)) return undefined;
    this.#valueEnd = nameEnd;
    return '';
  }

  /** Consumes attributes with plain names and values; returns the index after them. */
  #passAttributes(html: string, from: number): number {
    const token = this.currentToken as Token.TagToken;
    const { attrs } = token;
    const found = this.#found;
    let count = 0;
    let at = from;
    this._flushRun('');
    // parse5 handles tags with many attributes.
    while (attrs.length + count < FEW_ATTRIBUTES) {
      const nameEnd = findNameEnd(html, at);
      if (nameEnd === at || nameEnd + 2 >= html.length) break;
      const value =
        html.charCodeAt(nameEnd) === EQUALS ? this.#passValue(html, nameEnd + 1) : this.#passNoValue(html, nameEnd);
      if (value === undefined) break;
      const name = readName(html, at, nameEnd);
      if (!isNamed(found, count, name) && !isNamed(attrs, attrs.length, name))
        found[count++] = { name, value: name === 'class' ? this.#share(value) : value };
      at = skipSpace(html, this.#valueEnd);
    }
    if (count === 0) return at;
    // An array that grows reserves room for 17.
    const own = count === 1 ? [found[0]] : found.slice(0, count);
    token.attrs = attrs.length === 0 ? own : [...attrs, ...own];
    return at;
  }
}

/** Whether one of the first `count` attributes has a name. */
function isNamed(attributes: readonly Token.Attribute[], count: number, name: string): boolean {
  for (let i = 0; i < count; i++) if (attributes[i].name === name) return true;
  return false;
}

/** Whether a code point (-1 at the end of the page) ends a run. */
function isEnd(cp: number, ends: number): boolean {
  return cp < 0 || (cp < ENDS.length && (ENDS[cp] & ends) !== 0);
}

function closesTag(html: string, at: number): boolean {
  const code = html.charCodeAt(at);
  return code === CLOSE || (code === SLASH && html.charCodeAt(at + 1) === CLOSE);
}

/** Whether a character ends a value without quotes. */
function endsAttribute(code: number): boolean {
  return code === CLOSE || (ENDS[code] & SPACE) !== 0;
}

function isSmallLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && (ENDS[html.charCodeAt(at)] & INK) === 0) at++;
  return at;
}

function findNameEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length && IN_NAME[html.charCodeAt(at)] === 1) at++;
  return at;
}
