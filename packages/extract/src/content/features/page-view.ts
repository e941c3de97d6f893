import { lowerBound } from '../../tree/lower-bound.ts';
import { HEADING, TAG_FLAGS } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import { HIDDEN, HOLDER, LETTERS, LINK_WORDS, PRICES, STOPS, STRIDE, WORDS, type Blocks } from '../blocks/blocks.ts';
import type { Scopes } from '../blocks/scopes.ts';
import type { WordLexicon } from '../blocks/word-lexicon.ts';
import { findPaths, type Paths } from './paths.ts';

/** Input of the features. Sums are prefix sums: the sum over blocks `a … b - 1` is `sum[b] - sum[a]`. */
export interface PageView {
  readonly tree: Tree;
  readonly blocks: Blocks;
  readonly scopes: Scopes;
  readonly url: string;
  readonly count: number;
  readonly words: Int32Array;
  readonly linkWords: Int32Array;
  readonly prose: Int32Array;
  readonly proseBlocks: Int32Array;
  readonly headings: Int32Array;
  readonly priced: Int32Array;
  readonly linkBlocks: Int32Array;
  /** 1 for prose, 2 for a heading, 0 otherwise. */
  readonly kind: Uint8Array;
  readonly paths: Paths;
  readonly wordLexicon: WordLexicon;
}

export const PROSE = 1;
export const TITLING = 2;

export function viewPage(tree: Tree, blocks: Blocks, scopes: Scopes, url: string, wordLexicon: WordLexicon): PageView {
  const { count, rows } = blocks;
  const sums = Array.from({ length: 7 }, () => new Int32Array(count + 1));
  const [words, linkWords, prose, proseBlocks, headings, priced, linkBlocks] = sums as Sums;
  const kind = new Uint8Array(count);
  for (let b = 0; b < count; b++) {
    const row = b * STRIDE;
    const size = rows[row + WORDS];
    const isHeading = (TAG_FLAGS[rows[row + HOLDER]] & HEADING) !== 0;
    const isProse = !isHeading && readsAsProse(rows, row);
    kind[b] = isHeading ? TITLING : isProse ? PROSE : 0;
    words[b + 1] = words[b] + size;
    linkWords[b + 1] = linkWords[b] + rows[row + LINK_WORDS];
    prose[b + 1] = prose[b] + (isProse ? size : 0);
    proseBlocks[b + 1] = proseBlocks[b] + (isProse ? 1 : 0);
    headings[b + 1] = headings[b] + (isHeading ? 1 : 0);
    priced[b + 1] = priced[b] + (rows[row + PRICES] > 0 ? 1 : 0);
    linkBlocks[b + 1] = linkBlocks[b] + (rows[row + LINK_WORDS] * 2 > size ? 1 : 0);
  }
  return {
    tree,
    blocks,
    scopes,
    url,
    count,
    words,
    linkWords,
    prose,
    proseBlocks,
    headings,
    priced,
    linkBlocks,
    kind,
    paths: findPaths(scopes, count),
    wordLexicon,
  };
}

type Sums = [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];

function readsAsProse(rows: Int32Array, row: number): boolean {
  const words = rows[row + WORDS];
  return (
    words >= 10 &&
    rows[row + HIDDEN] === 0 &&
    rows[row + LINK_WORDS] * 2 < words &&
    (rows[row + STOPS] > 0 || words >= 20) &&
    rows[row + LETTERS] > words
  );
}

/** Returns log(1 + count); a table serves small integers. */
export function scale(count: number): number {
  const whole = count | 0;
  return whole === count && whole >= 0 && whole < LOGARITHMS.length ? LOGARITHMS[whole] : Math.log1p(count);
}

const LOGARITHMS: Float64Array = Float64Array.from({ length: 4096 }, (_, count) => Math.log1p(count));

export function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** Number of nodes of a sorted list in `from … to - 1`. */
export function countWithin(nodes: readonly number[], from: number, to: number): number {
  return lowerBound(nodes, to) - lowerBound(nodes, from);
}
