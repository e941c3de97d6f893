/** Agreement of an extracted text with the truth, each from 0 to 1. */
export interface TextScore {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
}

/**
 * A word is a maximal run of letters, numbers and underscores of any script: `\w+` of Python 3, as in the published
 * figures.
 */
const WORD = /[\p{L}\p{N}_]+/gu;

const NOTHING: TextScore = { f1: 0, precision: 0, recall: 0 };
const PERFECT: TextScore = { f1: 1, precision: 1, recall: 1 };

/**
 * Word F1: both texts as multisets of words. A page whose true text is empty scores 1 when nothing
 * was extracted, else 0.
 *
 * @param neutral text whose words are not scored, except as many as the truth has
 */
export function scoreText(truth: string, output: string, neutral = ''): TextScore {
  const wanted = countWords(truth);
  const given = countWords(output);
  if (neutral !== '') leaveOut(given, wanted, countWords(neutral));
  if (wanted.total === 0) return given.total === 0 ? PERFECT : NOTHING;
  let shared = 0;
  for (const [word, count] of given.counts) shared += Math.min(count, wanted.counts.get(word) ?? 0);
  if (shared === 0) return NOTHING;
  const precision = shared / given.total;
  const recall = shared / wanted.total;
  return { f1: (2 * precision * recall) / (precision + recall), precision, recall };
}

/**
 * Counts the snippets that the text contains as sequences of words. Letter case, punctuation and white space are ignored,
 * because annotators changed quotation marks and spaces. A snippet may end inside a word; with `isWhole` its last word must
 * be whole.
 */
export function countSnippets(snippets: readonly string[], output: string, { isWhole }: { isWhole: boolean }): number {
  const text = ` ${joinWords(output)} `;
  return snippets.filter((snippet) => {
    const words = joinWords(snippet);
    return words !== '' && text.includes(` ${words}${isWhole ? ' ' : ''}`);
  }).length;
}

/** Removes words of `neutral` from `given`, except as many as `wanted` has. */
function leaveOut(given: Words, wanted: Words, neutral: Words): void {
  for (const [word, count] of neutral.counts) {
    const known = given.counts.get(word) ?? 0;
    const out = Math.min(count, known - (wanted.counts.get(word) ?? 0));
    if (out <= 0) continue;
    given.counts.set(word, known - out);
    given.total -= out;
  }
}

function joinWords(text: string): string {
  return (text.toLowerCase().match(WORD) ?? []).join(' ');
}

interface Words {
  readonly counts: Map<string, number>;
  total: number;
}

function countWords(text: string): Words {
  const counts = new Map<string, number>();
  const words = text.toLowerCase().match(WORD) ?? [];
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, total: words.length };
}
