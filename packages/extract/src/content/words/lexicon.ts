import { DOCUMENT, getTagCode, OTHER } from '../../tree/tags.ts';
import { HashTable } from './hash-table.ts';
import { hashWord } from './word-families.ts';

/**
 * Learned weights of names and words on a block's own elements (level 0), one scope up (1), two (2) and further (3).
 * Log-odds, see `training/`.
 */
export interface Lexicon {
  /** Names on elements, from `ElementNames.listTokens`, by `hashWord`. */
  readonly names: HashTable<Float32Array>;
  readonly tags: readonly (Float32Array | undefined)[];
  readonly labels: HashTable<Float32Array>;
  readonly headings: HashTable<Float32Array>;
}

/** Prefixes of word and tag tokens; no name starts with one. */
export const LABEL_PREFIX = '"';
export const HEADING_PREFIX = '^';
export const TAG_PREFIX = '<';

const HUNDREDTHS = 100;

/** Parses lines of a token and its weights in hundredths, separated by spaces. */
export function parseLexicon(text: string): Lexicon {
  const names = new Map<number, Float32Array>();
  const tags: (Float32Array | undefined)[] = Array.from({ length: 256 }, () => undefined);
  const labels = new Map<number, Float32Array>();
  const headings = new Map<number, Float32Array>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [token, ...hundredths] = line.split(' ') as [string, ...string[]];
    const weights = new Float32Array(hundredths.length);
    for (let level = 0; level < weights.length; level++) weights[level] = Number(hundredths[level]) / HUNDREDTHS;
    if (token.startsWith(LABEL_PREFIX)) labels.set(hashWord(token.slice(1)), weights);
    else if (token.startsWith(HEADING_PREFIX)) headings.set(hashWord(token.slice(1)), weights);
    else if (tagCode(token) !== OTHER) tags[tagCode(token)] = weights;
    else names.set(hashWord(token), weights);
  }
  return {
    names: new HashTable(names),
    tags,
    labels: new HashTable(labels),
    headings: new HashTable(headings),
  };
}

function tagCode(token: string): number {
  if (!token.startsWith(TAG_PREFIX)) return OTHER;
  return token === TAG_PREFIX ? DOCUMENT : getTagCode(token.slice(TAG_PREFIX.length));
}
