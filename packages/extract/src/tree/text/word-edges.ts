import { codeAt } from '../code-at.ts';

const WORD_END = /[\p{L}\p{M}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;
const LOWER_CASE_END = /\p{Ll}$/u;
const CAPITAL_OR_DIGIT_START = /^[\p{Lu}\p{N}]/u;
const DIGIT_END = /\p{N}$/u;
/** Chemical symbols have at most two letters: Al₂Si₂O₅. */
const CAPITALISED_START = /^\p{Lu}\p{Ll}{2}/u;
const CAPITALS_END = /\p{Lu}{2}$/u;
/** The end and the start of a price: "24,90 €", "$24.90". */
const PRICE_END = /\p{N}\s?\p{Sc}$/u;
const PRICE_START = /^\p{Sc}\s?\p{N}/u;
const OPENING_END = /\p{Ps}$/u;

/** Whether the end of one text and the start of the next would make one word. */
export function meetAsWord(before: string, after: string): boolean {
  return WORD_START.test(after) && WORD_END.test(before.slice(-2));
}

/**
 * Whether these are separate words: lower case before a capital or digit, a number or capitals before a capitalised
 * word, a price before a price or word.
 */
export function meetAsTwoWords(before: string, after: string): boolean {
  // Most texts start with a space or a lower-case letter.
  if (after === '' || !mayStartApart(codeAt(after, 0))) return false;
  const end = before.slice(-3);
  if (CAPITALISED_START.test(after))
    return LOWER_CASE_END.test(end) || DIGIT_END.test(end) || CAPITALS_END.test(end) || PRICE_END.test(end);
  if (CAPITAL_OR_DIGIT_START.test(after)) return LOWER_CASE_END.test(end) || PRICE_END.test(end);
  return PRICE_START.test(after) && (LOWER_CASE_END.test(end) || DIGIT_END.test(end) || PRICE_END.test(end));
}

/** Whether a character may be a capital, a digit or the sign of a currency. */
function mayStartApart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x24 || code > 0x7f;
}

export interface Seam {
  readonly before: string;
  readonly after: string;
  readonly startsLink: boolean;
  readonly followsLink: boolean;
  /** The later text is a sub- or superscript. */
  readonly isScript: boolean;
  /** The page has `<wbr>` here, so there is no space. */
  readonly isJoined: boolean;
}

/**
 * Whether to insert a space that a style sheet would show: between adjacent links, and before a capital or digit inside
 * a word. Sub- and superscripts belong to their word, except note references without a bracket.
 */
export function needsSpace(seam: Seam): boolean {
  if (seam.startsLink && (seam.followsLink || seam.isScript)) return !OPENING_END.test(seam.before);
  return !seam.isScript && !seam.isJoined && meetAsTwoWords(seam.before, seam.after);
}
