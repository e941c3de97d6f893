/** Agreement of an extracted text with the true one, each from 0 to 1. */
export interface TextScore {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
}

/**
 * A word is a maximal run of letters, numbers and underscores of any script, lower-cased: `\w+` as
 * Python 3's `re` means it for strings, by which the published figures were made.
 */
const WORD = /[\p{L}\p{N}_]+/gu;

const NOTHING: TextScore = { f1: 0, precision: 0, recall: 0 };
const PERFECT: TextScore = { f1: 1, precision: 1, recall: 1 };

/**
 * Word F1: both texts as multisets of words. A page whose true text is empty scores 1 when nothing
 * was extracted, else 0.
 */
export function scoreText(truth: string, output: string): TextScore {
  const wanted = countWords(truth);
  const given = countWords(output);
  if (wanted.total === 0) return given.total === 0 ? PERFECT : NOTHING;
  let shared = 0;
  for (const [word, count] of given.counts) shared += Math.min(count, wanted.counts.get(word) ?? 0);
  if (shared === 0) return NOTHING;
  const precision = shared / given.total;
  const recall = shared / wanted.total;
  return { f1: (2 * precision * recall) / (precision + recall), precision, recall };
}

/**
 * How many of the snippets stand in the text as sequences of words: letter case, punctuation and white space do not
 * count, since annotators straightened quotation marks and closed up spaces. Snippets may have been cut inside their
 * last word; with `isWhole` that word must be whole.
 */
export function countSnippets(snippets: readonly string[], output: string, { isWhole }: { isWhole: boolean }): number {
  const text = ` ${joinWords(output)} `;
  return snippets.filter((snippet) => {
    const words = joinWords(snippet);
    return words !== '' && text.includes(` ${words}${isWhole ? ' ' : ''}`);
  }).length;
}

function joinWords(text: string): string {
  return (text.toLowerCase().match(WORD) ?? []).join(' ');
}

function countWords(text: string): { counts: Map<string, number>; total: number } {
  const counts = new Map<string, number>();
  const words = text.toLowerCase().match(WORD) ?? [];
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, total: words.length };
}
