import { DOCUMENT, getTagCode, OTHER } from '../../tree/tags.ts';
import { hashWord } from './word-families.ts';

/**
 * Learned weights of names and words: how much one on a block's own elements (level 0), on the scope above (1),
 * the next (2) and any further out (3) speaks for content. Log-odds, see `training/`.
 */
export interface Lexicon {
  /** Names on elements, as `ElementNames.listTokens` gives them, by `hashWord`. */
  readonly names: ReadonlyMap<number, Float32Array>;
  /** Names of elements, by tag code. */
  readonly tags: readonly (Float32Array | undefined)[];
  /** Words of short blocks, by `hashWord`. */
  readonly labels: ReadonlyMap<number, Float32Array>;
  /** Words of the headings that lead sections, by `hashWord`. */
  readonly headings: ReadonlyMap<number, Float32Array>;
}

/** What tokens of words begin with; no name begins so. */
export const LABEL_PREFIX = '"';
export const HEADING_PREFIX = '^';
/** What the name of an element begins with. */
export const TAG_PREFIX = '<';

const HUNDREDTHS = 100;

/** Reads a lexicon from lines of a token and its weights in hundredths, apart by spaces. */
export function parseLexicon(text: string): Lexicon {
  const names = new Map<number, Float32Array>();
  const tags: (Float32Array | undefined)[] = Array.from({ length: 256 }, () => undefined);
  const labels = new Map<number, Float32Array>();
  const headings = new Map<number, Float32Array>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [token, ...hundredths] = line.split(' ') as [string, ...string[]];
    const weights = Float32Array.from(hundredths, (weight) => Number(weight) / HUNDREDTHS);
    if (token.startsWith(LABEL_PREFIX)) labels.set(hashWord(token.slice(1)), weights);
    else if (token.startsWith(HEADING_PREFIX)) headings.set(hashWord(token.slice(1)), weights);
    else if (tagCode(token) !== OTHER) tags[tagCode(token)] = weights;
    else names.set(hashWord(token), weights);
  }
  return { names, tags, labels, headings };
}

/** Code of the element that a token names, the document for one without a name; `OTHER` for any other token. */
function tagCode(token: string): number {
  if (!token.startsWith(TAG_PREFIX)) return OTHER;
  return token === TAG_PREFIX ? DOCUMENT : getTagCode(token.slice(TAG_PREFIX.length));
}
