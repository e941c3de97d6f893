import { sliceColumns, type Columns } from './columns.ts';
import { countWithin, ratio, scale, type PageView } from './page-view.ts';

/** Fewer siblings with one signature form no group of cards. */
const LEAST_MEMBERS = 3;

const MEASURES = [
  'members',
  'wordsPerMember',
  'links',
  'share',
  'images',
  'prices',
  'headings',
  'prose',
  'spread',
  'blocksPerMember',
  'order',
  'rank',
] as const;

export const GROUP_MEASURES: number = MEASURES.length;

/** The nearest and the largest group above a block, and the blocks of its path. */
export const GROUP_FEATURES: readonly string[] = [
  'near.up',
  'near.memberPosition',
  ...MEASURES.map((measure) => `near.${measure}`),
  'large.up',
  'large.memberPosition',
  ...MEASURES.map((measure) => `large.${measure}`),
  'path.blocks',
  'path.words',
  'path.share',
  'path.links',
  'path.prose',
];

export interface Groups {
  readonly count: number;
  readonly of: Int32Array;
  readonly index: Int32Array;
  readonly members: Int32Array;
  readonly words: Int32Array;
  readonly measures: Float32Array;
}

/** Fills the columns of {@link GROUP_FEATURES}; -1 where a block is in no group. */
export function fillGroupFeatures(view: PageView, groups: Groups, columns: Columns): void {
  const { scopes, count } = view;
  const { values, starts } = columns;
  const { near, large } = inherit(view, groups);
  const width = MEASURES.length;
  for (let b = 0; b < count; b++) {
    const leaf = scopes.leaf[b];
    fillOne(near[leaf], leaf, 0, b);
    fillOne(large[leaf], leaf, 2 + width, b);
  }
  fillPaths(view, sliceColumns(columns, 2 * (2 + width)));

  function fillOne(member: number, leaf: number, at: number, b: number): void {
    if (member < 0) {
      for (let c = at; c < at + 2 + width; c++) values[starts[c] + b] = -1;
      return;
    }
    const group = groups.of[member];
    values[starts[at] + b] = scopes.depth[leaf] - scopes.depth[member];
    values[starts[at + 1] + b] = groups.index[member] / groups.members[group];
    for (let m = 0; m < width; m++) values[starts[at + 2 + m] + b] = groups.measures[group * width + m];
  }
}

/** Finds the groups: children of one scope whose topmost elements have the same name and classes. */
export function findGroups(view: PageView): Groups {
  const { scopes } = view;
  const of = new Int32Array(scopes.count).fill(-1);
  const index = new Int32Array(scopes.count);
  const byKey = new Map<number, number>();
  const members: number[] = [];
  for (let s = 1; s < scopes.count; s++) {
    if (scopes.element[s] < 0) continue;
    const key = scopes.parent[s] * 4294967296 + (scopes.signature[s] >>> 0);
    let group = byKey.get(key);
    if (group === undefined) {
      group = members.length;
      members.push(0);
      byKey.set(key, group);
    }
    of[s] = group;
    index[s] = members[group]++;
  }
  return describe(view, of, index, new Int32Array(members));
}

function describe(view: PageView, of: Int32Array, index: Int32Array, members: Int32Array): Groups {
  const { scopes, count, words, linkWords, headings, priced, prose, tree, blocks } = view;
  const size = members.length;
  const width = MEASURES.length;
  const sums = Array.from({ length: 8 }, () => new Float64Array(size));
  const [text, links, images, prices, titled, proseWords, squares, blockCount] = sums as Sums8;
  const first = new Int32Array(size).fill(-1);
  for (let s = 0; s < scopes.count; s++) {
    const g = of[s];
    if (g < 0 || members[g] < LEAST_MEMBERS) continue;
    const from = scopes.from[s];
    const to = scopes.to[s];
    const own = words[to] - words[from];
    const element = scopes.element[s];
    if (first[g] < 0) first[g] = from;
    text[g] += own;
    squares[g] += Math.log1p(own) ** 2;
    links[g] += linkWords[to] - linkWords[from];
    images[g] += Math.min(3, countWithin(blocks.images, element, tree.end[element]));
    prices[g] += priced[to] > priced[from] ? 1 : 0;
    titled[g] += headings[to] > headings[from] ? 1 : 0;
    proseWords[g] += prose[to] - prose[from];
    blockCount[g] += to - from;
  }
  const measures = new Float32Array(size * width);
  const largest = rankByWords(text);
  for (let g = 0; g < size; g++) {
    const n = members[g];
    if (n < LEAST_MEMBERS) continue;
    let m = g * width;
    measures[m++] = scale(n);
    measures[m++] = scale(text[g] / n);
    measures[m++] = ratio(links[g], text[g]);
    measures[m++] = ratio(text[g], words[count]);
    measures[m++] = images[g] / n;
    measures[m++] = prices[g] / n;
    measures[m++] = titled[g] / n;
    measures[m++] = ratio(proseWords[g], text[g]);
    measures[m++] = Math.sqrt(Math.max(0, squares[g] / n - Math.log1p(text[g] / n) ** 2));
    measures[m++] = scale(blockCount[g] / n);
    measures[m++] = ratio(first[g], count);
    measures[m++] = largest[g];
  }
  return { count: size, of, index, members, words: new Int32Array(text), measures };
}

type Sums8 = [
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
];

function rankByWords(words: Float64Array): Float32Array {
  const order = new Uint32Array(words.length);
  for (let group = 0; group < order.length; group++) order[group] = group;
  order.sort((a, b) => words[b] - words[a] || a - b);
  const rank = new Float32Array(words.length);
  for (let place = 0; place < order.length; place++) rank[order[place]] = place;
  return rank;
}

/** For each scope the nearest group member at or above it, and the member with the most words. */
function inherit(view: PageView, groups: Groups): { near: Int32Array; large: Int32Array } {
  const { scopes } = view;
  const near = new Int32Array(scopes.count).fill(-1);
  const large = new Int32Array(scopes.count).fill(-1);
  for (let s = 1; s < scopes.count; s++) {
    const above = scopes.parent[s];
    near[s] = near[above];
    large[s] = large[above];
    const group = groups.of[s];
    if (group < 0 || groups.members[group] < LEAST_MEMBERS) continue;
    near[s] = s;
    const other = large[s];
    if (other < 0 || groups.words[groups.of[other]] < groups.words[group]) large[s] = s;
  }
  return { near, large };
}

export interface NearGroups {
  readonly of: Int32Array;
  readonly count: number;
}

/** Finds the group of each block's nearest card; a block outside groups gets a unique number. */
export function findNearGroups(view: PageView, groups: Groups): NearGroups {
  const { scopes } = view;
  const near = new Int32Array(scopes.count).fill(-1);
  for (let s = 1; s < scopes.count; s++) {
    const group = groups.of[s];
    near[s] = group >= 0 && groups.members[group] >= LEAST_MEMBERS ? group : near[scopes.parent[s]];
  }
  const of = new Int32Array(view.count);
  for (let b = 0; b < of.length; b++) {
    const group = near[scopes.leaf[b]];
    of[b] = group >= 0 ? group : groups.count + b;
  }
  return { of, count: groups.count + view.count };
}

function fillPaths(view: PageView, { values, starts }: Columns): void {
  const { count, words, linkWords, prose, paths } = view;
  const blocks = new Int32Array(paths.count);
  const text = new Int32Array(paths.count);
  const links = new Int32Array(paths.count);
  const proseWords = new Int32Array(paths.count);
  for (let b = 0; b < count; b++) {
    const path = paths.of[b];
    blocks[path]++;
    text[path] += words[b + 1] - words[b];
    links[path] += linkWords[b + 1] - linkWords[b];
    proseWords[path] += prose[b + 1] - prose[b];
  }
  for (let b = 0; b < count; b++) {
    const path = paths.of[b];
    values[starts[0] + b] = scale(blocks[path]);
    values[starts[1] + b] = scale(text[path] / blocks[path]);
    values[starts[2] + b] = ratio(text[path], words[count]);
    values[starts[3] + b] = ratio(links[path], text[path]);
    values[starts[4] + b] = ratio(proseWords[path], text[path]);
  }
}
