import { hashWord } from './word-families.ts';

/**
 * Learned weights of names and words: how much one on a block's own elements (level 0), on the scope above (1),
 * the next (2) and any further out (3) speaks for content. Log-odds, see `training/`.
 */
export interface Lexicon {
  /** Names on elements, as `ElementNames.listTokens` gives them. */
  readonly names: ReadonlyMap<string, Float32Array>;
  /** Words of short blocks, by `hashWord`. */
  readonly labels: ReadonlyMap<number, Float32Array>;
  /** Words of the headings that lead sections, by `hashWord`. */
  readonly headings: ReadonlyMap<number, Float32Array>;
}

/** What tokens of words begin with; no name begins so. */
export const LABEL_PREFIX = '"';
export const HEADING_PREFIX = '^';

const HUNDREDTHS = 100;

/** Reads a lexicon from lines of a token and its weights in hundredths, apart by spaces. */
export function parseLexicon(text: string): Lexicon {
  const names = new Map<string, Float32Array>();
  const labels = new Map<number, Float32Array>();
  const headings = new Map<number, Float32Array>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [token, ...hundredths] = line.split(' ') as [string, ...string[]];
    const weights = Float32Array.from(hundredths, (weight) => Number(weight) / HUNDREDTHS);
    if (token.startsWith(LABEL_PREFIX)) labels.set(hashWord(token.slice(1)), weights);
    else if (token.startsWith(HEADING_PREFIX)) headings.set(hashWord(token.slice(1)), weights);
    else names.set(token, weights);
  }
  return { names, labels, headings };
}
