/** Class of each UTF-16 code unit as a table, for one look at each character. */

export const SPACE = 0;
export const PUNCTUATION = 1;
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
const LETTER = 5;
/** Letters of scripts without spaces: two count as one word. */
export const DENSE = 6;
/** Invisible or combining characters: part of the word around them. */
export const JOINER = 7;

/** The last match wins; others are punctuation. */
const RULES: readonly (readonly [number, RegExp])[] = [
  [LETTER, /[\p{L}_]+/gu],
  [DIGIT, /\p{N}+/gu],
  [LOWER, /\p{Ll}+/gu],
  [UPPER, /[\p{Lu}\p{Lt}]+/gu],
  [
    DENSE,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu,
  ],
  [JOINER, /[\xad\u200b-\u200f\u2060\ufeff\p{M}]+/gu],
  [SPACE, /[\s\0-\x20]+/gu],
];

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Class of each UTF-16 code unit; surrogates are punctuation. */
export const CHAR_CLASS: Uint8Array = buildTable();

/** Searches runs in a text of all characters: a test of each character by each rule takes 30 ms. */
function buildTable(): Uint8Array {
  const table = new Uint8Array(65536).fill(PUNCTUATION);
  fillRange(table, 0, FIRST_SURROGATE);
  fillRange(table, AFTER_SURROGATES, table.length);
  return table;
}

function fillRange(table: Uint8Array, from: number, to: number): void {
  const text = new TextDecoder('utf-16le').decode(Uint16Array.from({ length: to - from }, (_, index) => from + index));
  for (const [name, pattern] of RULES)
    for (const { 0: run, index } of text.matchAll(pattern)) table.fill(name, from + index, from + index + run.length);
}
