import type { PageType } from '../types/extraction.ts';
import { FAMILIES, STRIDE, TOKENS, WORDS_KEPT, type Blocks } from './blocks/blocks.ts';
import { markBelow, type Scopes } from './blocks/scopes.ts';
import { NAME_FAMILIES } from './words/name-families.ts';
import { TAG_FAMILIES } from './words/tag-families.ts';
import { hashWords, WORD_FAMILIES } from './words/word-families.ts';

/** Elements by name or tag, and texts by their words, around the main text of one page type. */
interface Surroundings {
  readonly names?: readonly string[];
  readonly tags?: readonly string[];
  readonly words?: readonly string[];
  /** Elements with blocks around and of the main text: only those that the model doubts are around it. */
  readonly doubtful?: { readonly names?: readonly string[]; readonly tags?: readonly string[] };
  readonly sure: number;
}

type Mark = (block: number) => boolean;

/** Comments follow an article; shops add reviews, delivery, conditions and forms for orders to their products. */
const SURROUNDINGS: Readonly<Partial<Record<PageType, Surroundings>>> = {
  article: { names: ['comment'], sure: 0.8 },
  product: {
    names: ['review', 'comment'],
    tags: ['form'],
    words: ['shipping', 'legal'],
    doubtful: { names: ['consent'], tags: ['header'] },
    sure: 0,
  },
  collection: {
    names: ['review'],
    tags: ['form'],
    words: ['shipping', 'legal'],
    doubtful: { names: ['consent', 'footer', 'modal'] },
    sure: 0,
  },
  listing: { names: ['nav', 'related'], words: ['legal'], doubtful: { names: ['consent'] }, sure: 0 },
  service: { tags: ['form'], doubtful: { names: ['consent', 'footer', 'modal', 'nav'] }, sure: 0 },
};

/** Some sites put the whole page in a form. */
const MOST_SHARE = 0.5;
/** A description may name delivery or terms. */
const CERTAIN = 0.93;
const DOUBTED = 0.5;

/**
 * Sets the probability of the blocks around the main text to 0.
 *
 * @returns the words by block, 0 for these blocks
 */
export function leaveOutSurroundings(
  blocks: Blocks,
  scopes: Scopes,
  { pageType, sureness }: { readonly pageType: PageType; readonly sureness: number },
  probabilities: Float32Array,
  words: Float64Array,
): Float64Array {
  const { rows, count } = blocks;
  const around = SURROUNDINGS[pageType];
  if (around === undefined || sureness < around.sure) return words;
  const { names = [], tags = [], words: texts = [], doubtful = {} } = around;
  const given = probabilities.slice();
  const markNamed = (family: string): Mark => markBelow(scopes, scopes.nameBits, NAME_FAMILIES.indexOf(family));
  const markTagged = (family: string): Mark => markBelow(scopes, scopes.tagBits, TAG_FAMILIES.indexOf(family));
  const marks = [
    ...names.map(markNamed),
    ...tags.map(markTagged),
    ...[...(doubtful.names ?? []).map(markNamed), ...(doubtful.tags ?? []).map(markTagged)].map(
      (isInside): Mark =>
        (block) =>
          given[block] < DOUBTED && isInside(block),
    ),
    ...texts.map((family) => {
      const bit = WORD_FAMILIES.indexOf(family);
      return (block: number): boolean =>
        ((rows[block * STRIDE + FAMILIES] >> bit) & 1) === 1 &&
        given[block] < CERTAIN &&
        !saysAvailability(blocks, block);
    }),
  ];
  const expected = new Float64Array(count);
  let all = 0;
  for (let block = 0; block < count; block++) {
    expected[block] = words[block] * probabilities[block];
    all += expected[block];
  }
  const inside = words.slice();
  for (const isMarked of marks) {
    let marked = 0;
    for (let block = 0; block < count; block++) if (isMarked(block)) marked += expected[block];
    if (marked > MOST_SHARE * all) continue;
    for (let block = 0; block < count; block++) {
      if (!isMarked(block)) continue;
      probabilities[block] = 0;
      inside[block] = 0;
    }
  }
  return inside;
}

/** First words of "available at once, delivery in 2 to 5 days", which is a fact about the product. */
const AVAILABLE = hashWords('available sofort lagernd lieferbar verfügbar disponible disponibile disponível dostępny');
const MAX_AVAILABILITY = 10;

function saysAvailability({ rows, firstWords }: Blocks, block: number): boolean {
  return rows[block * STRIDE + TOKENS] <= MAX_AVAILABILITY && AVAILABLE.has(firstWords[block * WORDS_KEPT]);
}
