/** `@winnow/extract/tags`: tags in HTML source, as the tokenizer of the HTML standard (13.2.5) finds them. Each search is linear. */

const SLASH = 47;
const EQUALS = 61;
const CLOSE = 62;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

/** Returns the end of a name that starts at `from`. */
export function findNameEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (isSpace(code) || code === SLASH || code === CLOSE) break;
    at++;
  }
  return at;
}

/** What the next character may begin or continue. */
const BEFORE_NAME = 0;
const NAME = 1;
const BEFORE_VALUE = 2;
const UNQUOTED_VALUE = 3;

/** Returns the `>` of a tag, -1 if it is unclosed: quotes count only at the start of a value. */
export function findTagEnd(html: string, from: number): number {
  let state = BEFORE_NAME;
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === CLOSE) return at;
    if (isSpace(code)) {
      if (state === UNQUOTED_VALUE) state = BEFORE_NAME;
    } else if (state === BEFORE_VALUE) {
      state = UNQUOTED_VALUE;
      if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE) continue;
      at = html.indexOf(code === DOUBLE_QUOTE ? '"' : "'", at + 1);
      if (at < 0) return -1;
      state = BEFORE_NAME;
    } else if (state !== UNQUOTED_VALUE) {
      if (code === SLASH) state = BEFORE_NAME;
      else state = code === EQUALS && state === NAME ? BEFORE_VALUE : NAME;
    }
  }
  return -1;
}

/** Returns the start of the next end tag with a name in lower case, -1 if there is none. */
export function findEndTag(html: string, name: string, from: number): number {
  const past = 2 + name.length;
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    const after = html.charCodeAt(at + past);
    const ends = isSpace(after) || after === SLASH || after === CLOSE;
    if (ends && html.slice(at + 2, at + past).toLowerCase() === name) return at;
  }
  return -1;
}

/** Tests for an ASCII letter, which starts a name. */
export function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11);
}
