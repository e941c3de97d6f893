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

/** First match wins; others are punctuation. */
const RULES: readonly (readonly [number, RegExp])[] = [
  [SPACE, /[\s\0-\x20]/u],
  [JOINER, /[\xad\u200b-\u200f\u2060\ufeff\p{M}]/u],
  [
    DENSE,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u,
  ],
  [UPPER, /\p{Lu}|\p{Lt}/u],
  [LOWER, /\p{Ll}/u],
  [DIGIT, /\p{N}/u],
  [LETTER, /[\p{L}_]/u],
];

/** Class of each UTF-16 code unit; surrogates are punctuation. */
export const CHAR_CLASS: Uint8Array = buildTable();

function buildTable(): Uint8Array {
  const table = new Uint8Array(65536).fill(PUNCTUATION);
  for (let code = 0; code < 65536; code++) {
    const char = String.fromCharCode(code);
    const rule = RULES.find(([, pattern]) => pattern.test(char));
    if (rule !== undefined) table[code] = rule[0];
  }
  return table;
}
