import { codeAt } from '../../tree/code-at.ts';
import { CHAR_CLASS, SPACE } from './char-classes.ts';
import { hashChar, hashWord, joinHashes } from './word-families.ts';

/** Limits of an attribute value and of each name, in characters. */
const MOST_CHARS = 1000;
const MOST_NAME_CHARS = 80;

/** Names of more words have no meaning as a whole. */
const MOST_JOINED = 5;
const HYPHEN = 45;
const TO_LOWER = 32;

const bounds = new Int32Array(2 * MOST_NAME_CHARS);

/** Each word has at most two tokens. */
const MOST_TOKENS = 2 * MOST_CHARS;

/** Hashes of the tokens of an attribute value; the next value overwrites them. */
export class NameTokens {
  count = 0;
  readonly tokens: Int32Array = new Int32Array(MOST_TOKENS);
  /** The word of a token, without the prefix; 0 for joined words. */
  readonly words: Int32Array = new Int32Array(MOST_TOKENS);

  /**
   * Reads the hashes (as by `hashWord`) of a value's tokens: `prefix` with a lower-case word of a name, or with all its
   * words joined by hyphens. `post-bodyText_2` has the words post, body, text.
   */
  read(value: string, prefix: string): void {
    this.count = 0;
    const start = hashWord(prefix);
    const length = Math.min(MOST_CHARS, value.length);
    for (let from = 0; from < length; from++) {
      if (CHAR_CLASS[codeAt(value, from)] === SPACE) continue;
      const to = findNameEnd(value, from, length);
      const count = findWords(value, from, Math.min(to, from + MOST_NAME_CHARS));
      let joined = start;
      for (let w = 0; w < count; w++) {
        let word = 0;
        for (let k = bounds[2 * w]; k < bounds[2 * w + 1]; k++) {
          const char = codeAt(value, k);
          word = hashChar(word, isUpper(char) ? char + TO_LOWER : char);
        }
        const size = bounds[2 * w + 1] - bounds[2 * w];
        joined = joinHashes(w > 0 ? hashChar(joined, HYPHEN) : joined, word, size);
        this.#add(joinHashes(start, word, size), word);
      }
      if (count > 1 && count <= MOST_JOINED) this.#add(joined, 0);
      from = to;
    }
  }

  #add(token: number, word: number): void {
    this.tokens[this.count] = token;
    this.words[this.count++] = word;
  }
}

export function listNameTokens(value: string, prefix: string): string[] {
  const tokens: string[] = [];
  const length = Math.min(MOST_CHARS, value.length);
  for (let from = 0; from < length; from++) {
    if (CHAR_CLASS[value.charCodeAt(from)] === SPACE) continue;
    const to = findNameEnd(value, from, length);
    const count = findWords(value, from, Math.min(to, from + MOST_NAME_CHARS));
    const words = Array.from({ length: count }, (_, w) => value.slice(bounds[2 * w], bounds[2 * w + 1]).toLowerCase());
    for (const word of words) tokens.push(prefix + word);
    if (count > 1 && count <= MOST_JOINED) tokens.push(prefix + words.join('-'));
    from = to;
  }
  return tokens;
}

function findNameEnd(value: string, from: number, length: number): number {
  let to = from + 1;
  while (to < length && CHAR_CLASS[codeAt(value, to)] !== SPACE) to++;
  return to;
}

/**
 * Splits a name at non-letters and case changes: a capital starts the lower-case letters after it; other capitals form
 * one word. Fills `bounds`; returns the number.
 */
function findWords(value: string, from: number, to: number): number {
  let count = 0;
  let k = from;
  while (k < to) {
    const start = k;
    if (isUpper(codeAt(value, k))) {
      do k++;
      while (k < to && isUpper(codeAt(value, k)));
      const isFollowed = k < to && isLower(codeAt(value, k));
      if (isFollowed && k - start > 1) k--;
      else if (isFollowed) k = skipLower(value, k, to);
    } else if (isLower(codeAt(value, k))) {
      k = skipLower(value, k, to);
    } else {
      k++;
      continue;
    }
    bounds[2 * count] = start;
    bounds[2 * count + 1] = k;
    count++;
  }
  return count;
}

function skipLower(value: string, from: number, to: number): number {
  let k = from;
  while (k < to && isLower(codeAt(value, k))) k++;
  return k;
}

function isLower(char: number): boolean {
  return char >= 97 && char <= 122;
}

function isUpper(char: number): boolean {
  return char >= 65 && char <= 90;
}
