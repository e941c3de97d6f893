import { readAscii } from '../tree/read-ascii.ts';

/** Average tokens of a character by script. */
const ASCII = 1 / 4;
const OTHER = 1 / 2;
const WIDE = 1;
/** Each half of a surrogate pair, such as an emoji. */
const HALF = 1;
const ALL_ASCII = /[\0-\x7f]+/g;

/**
 * Estimates a language model's tokens by a rule of thumb: a token is four ASCII characters, two of other alphabets, or
 * one of Chinese, Japanese or Korean.
 */
export function estimateTokens(text: string): number {
  if (readAscii(text) !== undefined) return Math.ceil(text.length * ASCII);
  const others = text.replaceAll(ALL_ASCII, '');
  let tokens = (text.length - others.length) * ASCII;
  for (let index = 0; index < others.length; index++) {
    const code = others.charCodeAt(index);
    if (code < 0x2e80) tokens += OTHER;
    else tokens += code >= 0xd800 && code < 0xe000 ? HALF : WIDE;
  }
  return Math.ceil(tokens);
}
