const WORD_END = /[\p{L}\p{M}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;
const LOWER_CASE_END = /\p{Ll}$/u;
const CAPITAL_OR_DIGIT_START = /^[\p{Lu}\p{N}]/u;

/** True when the end of one text and the start of the next would make one word. */
export function meetAsWord(before: string, after: string): boolean {
  return WORD_START.test(after) && WORD_END.test(before.slice(-2));
}

/** True when a word in lower case would go on with a capital or a digit: these are two words, not one. */
function meetAsTwoWords(before: string, after: string): boolean {
  return CAPITAL_OR_DIGIT_START.test(after) && LOWER_CASE_END.test(before.slice(-2));
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
 * to a note.
 */
export function needsSpace(seam: Seam): boolean {
  if (seam.startsLink && (seam.followsLink || seam.isScript)) return true;
  return !seam.isScript && !seam.isJoined && meetAsTwoWords(seam.before, seam.after);
}
