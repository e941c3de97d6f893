import { TAG } from '../../tree/tags.ts';
import { FAMILIES, HOLDER, STRIDE, TITLE_WORDS, WORDS } from '../blocks/blocks.ts';
import { NAME_FAMILIES } from '../words/name-families.ts';
import type { Scopes } from '../blocks/scopes.ts';
import { TAG_FAMILIES } from '../words/tag-families.ts';
import { WORD_FAMILIES } from '../words/word-families.ts';
import { createTaker, fillColumns, sliceColumns, type Columns } from './columns.ts';
import { ratio, scale, TITLING, type PageView } from './page-view.ts';

const WINDOWS = [2, 5, 12] as const;
/** By words, for windows inside the page: logarithms are slow. */
const WINDOW_WORDS = 2048;
const MEANS: ReadonlyMap<number, Float64Array> = new Map(
  WINDOWS.map((size) => [
    size,
    Float64Array.from({ length: WINDOW_WORDS }, (_, words) => scale(words / (2 * size + 1))),
  ]),
);
/** Limit of distances to an ancestor, also used if there is none. */
const FAR = 12;

/** Position of a block: in page order, relative to texts and to elements. */
export const PLACE_FEATURES: readonly string[] = [
  'blockPosition',
  'wordPosition',
  'prosePosition',
  'blocksBefore',
  'blocksAfter',
  'depth',
  'elementless',
  'wordsPrevious',
  'wordsNext',
  'linkSharePrevious',
  'linkShareNext',
  'kindPrevious',
  'kindNext',
  ...WINDOWS.flatMap((size) => [
    `windowWords${size}`,
    `windowLinks${size}`,
    `windowProse${size}`,
    `windowHeadings${size}`,
  ]),
  'blocksFromH1',
  'wordsFromH1',
  'upFromH1',
  'downFromH1',
  'blocksFromHeading',
  'wordsFromHeading',
  'headingLevelAbove',
  'headingTitleWords',
  'headingHolds',
  ...WORD_FAMILIES.map((family) => `headingSays.${family}`),
  'upFromProse60',
  'downFromProse60',
  'upFromProse40',
  'downFromProse40',
  ...TAG_FAMILIES.map((family) => `inTag.${family}`),
  ...NAME_FAMILIES.map((family) => `inName.${family}`),
  'childIndex',
  'childPosition',
  'siblings',
];

export function fillPlaceFeatures(view: PageView, columns: Columns): void {
  const take = createTaker(columns);
  fillOrder(view, take(13));
  for (const size of WINDOWS) fillWindow(view, size, take(4));
  fillFromH1(view, take(4));
  fillFromHeading(view, take(5 + WORD_FAMILIES.length));
  fillRelation(view.scopes, findProseScope(view, 0.6), take(2));
  fillRelation(view.scopes, findProseScope(view, 0.4), take(2));
  fillDistances(view.scopes, view.count, view.scopes.tagBits, take(TAG_FAMILIES.length));
  fillDistances(view.scopes, view.count, view.scopes.nameBits, take(NAME_FAMILIES.length));
  fillSiblings(view, take(3));
}

function fillOrder(view: PageView, { values, starts }: Columns): void {
  const { count, words, linkWords, prose, kind, scopes } = view;
  for (let b = 0; b < count; b++) {
    let c = 0;
    values[starts[c++] + b] = ratio(b, count);
    values[starts[c++] + b] = ratio(words[b], words[count]);
    values[starts[c++] + b] = ratio(prose[b], prose[count]);
    values[starts[c++] + b] = scale(b);
    values[starts[c++] + b] = scale(count - b);
    values[starts[c++] + b] = scopes.depth[scopes.leaf[b]];
    values[starts[c++] + b] = scopes.element[scopes.leaf[b]] < 0 ? 1 : 0;
    const previous = Math.max(0, b - 1);
    const after = Math.min(count, b + 2);
    values[starts[c++] + b] = b > 0 ? scale(words[b] - words[previous]) : -1;
    values[starts[c++] + b] = b + 1 < count ? scale(words[after] - words[b + 1]) : -1;
    values[starts[c++] + b] = ratio(linkWords[b] - linkWords[previous], words[b] - words[previous]);
    values[starts[c++] + b] =
      b + 1 < count ? ratio(linkWords[after] - linkWords[b + 1], words[after] - words[b + 1]) : 0;
    values[starts[c++] + b] = b > 0 ? kind[b - 1] : -1;
    values[starts[c++] + b] = b + 1 < count ? kind[b + 1] : -1;
  }
}

function fillWindow(view: PageView, size: number, { values, starts }: Columns): void {
  const { count, words, linkWords, prose, headings } = view;
  const full = 2 * size + 1;
  const means = MEANS.get(size)!;
  for (let b = 0; b < count; b++) {
    const from = Math.max(0, b - size);
    const to = Math.min(count, b + size + 1);
    const total = words[to] - words[from];
    values[starts[0] + b] = to - from === full && total < WINDOW_WORDS ? means[total] : scale(total / (to - from));
    values[starts[1] + b] = ratio(linkWords[to] - linkWords[from], total);
    values[starts[2] + b] = ratio(prose[to] - prose[from], total);
    values[starts[3] + b] = (headings[to] - headings[from]) / (to - from);
  }
}

function fillFromH1(view: PageView, columns: Columns): void {
  const { count, words, scopes } = view;
  const { values, starts } = columns;
  const h1 = findH1(view);
  if (h1 < 0) {
    fillColumns(columns, count, -99);
    return;
  }
  for (let b = 0; b < count; b++) {
    values[starts[0] + b] = Math.sign(b - h1) * scale(Math.abs(b - h1));
    values[starts[1] + b] = Math.sign(b - h1) * scale(Math.abs(words[b] - words[h1]));
  }
  fillRelation(scopes, scopes.leaf[h1], sliceColumns(columns, 2));
}

export function findH1(view: PageView): number {
  const { rows } = view.blocks;
  let first = -1;
  for (let b = 0; b < view.count; b++) {
    const row = b * STRIDE;
    if (rows[row + HOLDER] !== TAG.h1) continue;
    if (first < 0) first = b;
    if (rows[row + TITLE_WORDS] > 0) return b;
  }
  return first;
}

function fillFromHeading(view: PageView, { values, starts }: Columns): void {
  const { count, words, kind, scopes, blocks } = view;
  const { rows } = blocks;
  let heading = -1;
  for (let b = 0; b < count; b++) {
    if (heading < 0) {
      for (let c = 0; c < starts.length; c++) values[starts[c] + b] = -1;
    } else {
      const row = heading * STRIDE;
      values[starts[0] + b] = scale(b - heading);
      values[starts[1] + b] = scale(words[b] - words[heading + 1]);
      values[starts[2] + b] = rows[row + HOLDER] - TAG.h1 + 1;
      values[starts[3] + b] = ratio(rows[row + TITLE_WORDS], rows[row + WORDS]);
      const section = scopes.parent[scopes.leaf[heading]];
      values[starts[4] + b] = section >= 0 && scopes.to[section] > b ? 1 : 0;
      const families = rows[row + FAMILIES];
      for (let f = 0; f < WORD_FAMILIES.length; f++) values[starts[5 + f] + b] = (families >> f) & 1;
    }
    if (kind[b] === TITLING) heading = b;
  }
}

/** The smallest scope with at least `share` of the page's prose (without prose: of all words). */
function findProseScope(view: PageView, share: number): number {
  const { scopes, count } = view;
  const sum = view.prose[count] > 0 ? view.prose : view.words;
  let best = 0;
  for (let s = 0; s < scopes.count; s++) {
    const held = sum[scopes.to[s]] - sum[scopes.from[s]];
    if (held >= share * sum[count] && scopes.to[s] - scopes.from[s] <= scopes.to[best] - scopes.from[best]) best = s;
  }
  return best;
}

/** For each block: steps up from `target` to the first scope with the block, and down from there. */
export function fillRelation(scopes: Scopes, target: number, { values, starts }: Columns): void {
  const [up, down] = starts;
  let steps = 0;
  let from = 0;
  let to = 0;
  for (let s = target; s >= 0; s = scopes.parent[s]) {
    const depth = scopes.depth[s];
    for (let b = scopes.from[s]; b < scopes.to[s]; b++) {
      if (b >= from && b < to) {
        b = to - 1;
        continue;
      }
      values[up + b] = steps;
      values[down + b] = scopes.depth[scopes.leaf[b]] - depth;
    }
    from = scopes.from[s];
    to = scopes.to[s];
    steps++;
  }
}

function fillDistances(scopes: Scopes, count: number, bits: Int32Array, { values, starts, unwanted }: Columns): void {
  const distances = new Uint8Array(scopes.count);
  for (let f = 0; f < starts.length; f++) {
    const start = starts[f];
    if (start === unwanted) continue;
    for (let s = 0; s < scopes.count; s++) {
      const above = scopes.parent[s];
      distances[s] = ((bits[s] >> f) & 1) === 1 ? 0 : above < 0 ? FAR : Math.min(FAR, distances[above] + 1);
    }
    for (let b = 0; b < count; b++) values[start + b] = distances[scopes.leaf[b]];
  }
}

function fillSiblings(view: PageView, { values, starts }: Columns): void {
  const { scopes, count } = view;
  const children = new Int32Array(scopes.count);
  const index = new Int32Array(scopes.count);
  for (let s = 1; s < scopes.count; s++) index[s] = children[scopes.parent[s]]++;
  for (let b = 0; b < count; b++) {
    const leaf = scopes.leaf[b];
    const above = scopes.parent[leaf];
    const siblings = above < 0 ? 1 : children[above];
    values[starts[0] + b] = scale(index[leaf]);
    values[starts[1] + b] = ratio(index[leaf], siblings);
    values[starts[2] + b] = scale(siblings);
  }
}
