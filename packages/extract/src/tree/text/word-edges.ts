const WORD_END = /[\p{L}\p{M}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;
const LOWER_CASE_END = /\p{Ll}$/u;
const CAPITAL_OR_DIGIT_START = /^[\p{Lu}\p{N}]/u;
const DIGIT_END = /\p{N}$/u;
/** Longer than a symbol in a formula: Al₂Si₂O₅. */
const CAPITALISED_START = /^\p{Lu}\p{Ll}{2}/u;
const CAPITALS_END = /\p{Lu}{2}$/u;
/** "24,90 €" and "$24.90": where a price ends, and where one starts. */
const PRICE_END = /\p{N}\s?\p{Sc}$/u;
const PRICE_START = /^\p{Sc}\s?\p{N}/u;
const OPENING_END = /\p{Ps}$/u;

/** True when the end of one text and the start of the next would make one word. */
export function meetAsWord(before: string, after: string): boolean {
  return WORD_START.test(after) && WORD_END.test(before.slice(-2));
}

/**
 * True when a word in lower case would go on with a capital or a digit, a number or a word in capitals with a capitalised
 * word, or a price with another price or a word: these are two words, not one.
 */
export function meetAsTwoWords(before: string, after: string): boolean {
  const end = before.slice(-3);
  if (CAPITALISED_START.test(after))
    return LOWER_CASE_END.test(end) || DIGIT_END.test(end) || CAPITALS_END.test(end) || PRICE_END.test(end);
  if (CAPITAL_OR_DIGIT_START.test(after)) return LOWER_CASE_END.test(end) || PRICE_END.test(end);
  return PRICE_START.test(after) && (LOWER_CASE_END.test(end) || DIGIT_END.test(end) || PRICE_END.test(end));
}

/** The place where two pieces of text meet. */
export interface Seam {
  readonly before: string;
  readonly after: string;
  /** A link begins with the later piece. */
  readonly startsLink: boolean;
  readonly followsLink: boolean;
  /** The later piece is a sub- or superscript. */
  readonly isScript: boolean;
  /** The page says that a line may end here, and so that no space stands here: `<wbr>`. */
  readonly isJoined: boolean;
}

/**
 * Whether a space is to part what the page's style sheet would set apart: two links that follow each other, and a
 * word that would go on with a capital or a digit. Sub- and superscripts belong to their word, unless they refer
 * to a note that no bracket opens.
 */
export function needsSpace(seam: Seam): boolean {
  if (seam.startsLink && (seam.followsLink || seam.isScript)) return !OPENING_END.test(seam.before);
  return !seam.isScript && !seam.isJoined && meetAsTwoWords(seam.before, seam.after);
}
