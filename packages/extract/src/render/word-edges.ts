const WORD_END = /[\p{L}\p{M}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;
const LOWER_CASE_END = /\p{Ll}$/u;
const CAPITAL_OR_DIGIT_START = /^[\p{Lu}\p{N}]/u;

/** True when the end of one text and the start of the next would make one word. */
export function meetAsWord(before: string, after: string): boolean {
  return WORD_START.test(after) && WORD_END.test(before.slice(-2));
}

/** True when a word in lower case would go on with a capital or a digit: these are two words, not one. */
export function meetAsTwoWords(before: string, after: string): boolean {
  return CAPITAL_OR_DIGIT_START.test(after) && LOWER_CASE_END.test(before.slice(-2));
}
