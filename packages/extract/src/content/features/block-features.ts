import { ANCESTOR_FEATURES, fillAncestorFeatures } from './ancestor-features.ts';
import { fillGroupFeatures, findGroups, GROUP_FEATURES, type Groups } from './group-features.ts';
import { fillLexiconFeatures, LEXICON_FEATURES } from './lexicon-features.ts';
import { describePage, PAGE_FEATURES } from './page-features.ts';
import type { PageView } from './page-view.ts';
import { fillPlaceFeatures, PLACE_FEATURES } from './place-features.ts';
import { fillStatedFeatures, STATED_FEATURES } from './stated-features.ts';
import { fillTextFeatures, TEXT_FEATURES } from './text-features.ts';
import { fillWordFeatures, WORD_FEATURES } from './word-features.ts';

/** Features of a block, in the order of their columns. */
export const BLOCK_FEATURES: readonly string[] = [
  ...TEXT_FEATURES,
  ...PLACE_FEATURES,
  ...ANCESTOR_FEATURES,
  ...GROUP_FEATURES,
  ...LEXICON_FEATURES,
  ...WORD_FEATURES,
  ...STATED_FEATURES,
  ...PAGE_FEATURES,
];

export interface PageFeatures {
  /** All columns in one array, one after the other. */
  readonly values: Float32Array;
  /** One column a wanted feature, one value a block. */
  readonly columns: readonly Float32Array[];
  /** Values of `PAGE_FEATURES`; also the last columns, where each block repeats them. */
  readonly page: Float32Array;
  readonly groups: Groups;
}

/**
 * Computes features of all blocks.
 *
 * @param names the features wanted, in the order in which their columns shall stand; all by default
 */
export function computeFeatures(view: PageView, names: readonly string[] = BLOCK_FEATURES): PageFeatures {
  const { count } = view;
  const values = new Float32Array(names.length * count);
  const wanted = names.map((_, c) => values.subarray(c * count, (c + 1) * count));
  const unwanted = new Float32Array(count);
  const columns = spread(names, wanted, unwanted);
  const groups = findGroups(view);
  const page = describePage(view, groups);
  if (count === 0) return { values, columns: wanted, page, groups };
  let c = 0;
  const take = (size: number): Float32Array[] => {
    c += size;
    return columns.slice(c - size, c);
  };
  fillTextFeatures(view, take(TEXT_FEATURES.length));
  fillPlaceFeatures(view, take(PLACE_FEATURES.length), unwanted);
  fillAncestorFeatures(view, take(ANCESTOR_FEATURES.length));
  fillGroupFeatures(view, groups, take(GROUP_FEATURES.length));
  fillLexiconFeatures(view, groups, take(LEXICON_FEATURES.length));
  fillWordFeatures(view, groups, take(WORD_FEATURES.length));
  fillStatedFeatures(view, take(STATED_FEATURES.length));
  take(PAGE_FEATURES.length).forEach((column, p) => column.fill(page[p]!));
  return { values, columns: wanted, page, groups };
}

/** A column for each feature that is computed; those that nobody wants share one that is thrown away. */
function spread(names: readonly string[], wanted: readonly Float32Array[], unwanted: Float32Array): Float32Array[] {
  const byName = new Map(names.map((name, c) => [name, wanted[c]!]));
  return BLOCK_FEATURES.map((name) => byName.get(name) ?? unwanted);
}
