import { ANCESTOR_FEATURES, fillAncestorFeatures } from './ancestor-features.ts';
import { fillGroupFeatures, findGroups, findNearGroups, GROUP_FEATURES } from './group-features.ts';
import { fillLexiconFeatures, LEXICON_FEATURES } from './lexicon-features.ts';
import { createColumns, createTaker } from './columns.ts';
import { describePage, PAGE_FEATURES } from './page-features.ts';
import type { PageView } from './page-view.ts';
import { fillPlaceFeatures, PLACE_FEATURES } from './place-features.ts';
import { fillStatedFeatures, STATED_FEATURES } from './stated-features.ts';
import { fillTextFeatures, TEXT_FEATURES } from './text-features.ts';
import { fillWordFeatures, WORD_FEATURES } from './word-features.ts';

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
  readonly values: Float32Array;
  readonly constants: Float32Array;
  readonly page: Float32Array;
}

export interface ColumnPlan {
  readonly width: number;
  /** For each feature that differs between blocks, its position among the planned ones, or -1. */
  readonly places: readonly number[];
  /** Positions in `PAGE_FEATURES` of the planned ones. */
  readonly constants: readonly number[];
}

const PAGE_START = BLOCK_FEATURES.length - PAGE_FEATURES.length;

/** @param names in the order of `BLOCK_FEATURES`; all by default */
export function planColumns(names: readonly string[] = BLOCK_FEATURES): ColumnPlan {
  const wanted = new Set(names);
  const ordered = BLOCK_FEATURES.filter((name) => wanted.has(name));
  if (ordered.join() !== names.join())
    throw new Error('unknown features, or features in another order than BLOCK_FEATURES');
  let width = 0;
  const places = BLOCK_FEATURES.slice(0, PAGE_START).map((name) => (wanted.has(name) ? width++ : -1));
  const constants = Array.from(PAGE_FEATURES.keys()).filter((p) => wanted.has(PAGE_FEATURES[p]));
  return { width, places, constants };
}

export function computeFeatures(view: PageView, plan: ColumnPlan): PageFeatures {
  const { count } = view;
  const columns = createColumns(plan.places, plan.width, count);
  const values = columns.values.subarray(0, columns.unwanted);
  const groups = findGroups(view);
  const page = describePage(view, groups);
  const constants = Float32Array.from(plan.constants, (p) => page[p]);
  if (count === 0) return { values, constants, page };
  const take = createTaker(columns);
  fillTextFeatures(view, take(TEXT_FEATURES.length));
  fillPlaceFeatures(view, take(PLACE_FEATURES.length));
  fillAncestorFeatures(view, take(ANCESTOR_FEATURES.length));
  fillGroupFeatures(view, groups, take(GROUP_FEATURES.length));
  const near = findNearGroups(view, groups);
  fillLexiconFeatures(view, near, take(LEXICON_FEATURES.length));
  fillWordFeatures(view, near, take(WORD_FEATURES.length));
  fillStatedFeatures(view, take(STATED_FEATURES.length));
  return { values, constants, page };
}

/** One column for each of `BLOCK_FEATURES`, one value a block. */
export function listColumns(view: PageView): Float32Array[] {
  const { count } = view;
  const { values, page } = computeFeatures(view, planColumns());
  return [
    ...Array.from({ length: PAGE_START }, (_, c) => values.subarray(c * count, (c + 1) * count)),
    ...Array.from(page, (value) => new Float32Array(count).fill(value)),
  ];
}
