import { LEVELS } from '../element-names.ts';
import type { Groups } from './group-features.ts';
import { hashPaths } from './group-features.ts';
import type { PageView } from './page-view.ts';

/** What the names of the elements around a block say for it, in log-odds. */
export const LEXICON_FEATURES: readonly string[] = [
  'lexicon.block',
  'lexicon.own',
  'lexicon.above',
  'lexicon.outer',
  'lexicon.window2',
  'lexicon.window6',
  'lexicon.up1',
  'lexicon.up2',
  'lexicon.up3',
  'lexicon.up5',
  'lexicon.path',
  'lexicon.member',
  'lexicon.page',
  'lexicon.relative',
];

export function fillLexiconFeatures(view: PageView, groups: Groups, columns: readonly Float32Array[]): void {
  const { scopes, count, words } = view;
  const { weights, parent, leaf } = scopes;
  const outer = sumOuter(view);
  const score = new Float32Array(count);
  const sum = new Float64Array(count + 1);
  const size = new Float64Array(count + 1);
  for (let b = 0; b < count; b++) {
    const own = leaf[b]!;
    const above = parent[own]!;
    const second = above < 0 ? -1 : parent[above]!;
    const third = second < 0 ? -1 : parent[second]!;
    const values = [
      weights[own * LEVELS]!,
      above < 0 ? 0 : weights[above * LEVELS + 1]!,
      (second < 0 ? 0 : weights[second * LEVELS + 2]!) + (third < 0 ? 0 : outer[third]!),
    ];
    score[b] = values[0]! + values[1]! + values[2]!;
    columns[0]![b] = score[b]!;
    for (let c = 0; c < 3; c++) columns[c + 1]![b] = values[c]!;
    const weight = Math.sqrt(words[b + 1]! - words[b]!);
    sum[b + 1] = sum[b]! + score[b]! * weight;
    size[b + 1] = size[b]! + weight;
  }
  const mean = (from: number, to: number): number => (sum[to]! - sum[from]!) / (size[to]! - size[from]! || 1);
  for (let b = 0; b < count; b++) {
    columns[4]![b] = mean(Math.max(0, b - 2), Math.min(count, b + 3));
    columns[5]![b] = mean(Math.max(0, b - 6), Math.min(count, b + 7));
    let scope = leaf[b]!;
    for (let up = 1, c = 6; up <= 5; up++) {
      if (parent[scope]! >= 0) scope = parent[scope]!;
      if (up !== 4) columns[c++]![b] = mean(scopes.from[scope]!, scopes.to[scope]!);
    }
  }
  fillPathMeans(view, score, columns[10]!);
  fillMemberMeans(view, groups, score, columns[11]!);
  const page = mean(0, count);
  for (let b = 0; b < count; b++) {
    columns[12]![b] = page;
    columns[13]![b] = score[b]! - page;
  }
}

/** Weights of the last level, summed from each scope outwards. */
function sumOuter(view: PageView): Float32Array {
  const { scopes } = view;
  const outer = new Float32Array(scopes.count);
  for (let s = 0; s < scopes.count; s++) {
    const above = scopes.parent[s]!;
    outer[s] = scopes.weights[s * LEVELS + 3]! + (above < 0 ? 0 : outer[above]!);
  }
  return outer;
}

/** Mean score of the blocks with the same path of signatures. */
function fillPathMeans(view: PageView, score: Float32Array, column: Float32Array): void {
  fillMeans(hashPaths(view), score, column);
}

/** Mean score of the whole group that a block's nearest card belongs to; the block's own outside groups. */
function fillMemberMeans(view: PageView, groups: Groups, score: Float32Array, column: Float32Array): void {
  const { scopes, count } = view;
  const keys = new Int32Array(count);
  const near = new Int32Array(scopes.count).fill(-1);
  for (let s = 1; s < scopes.count; s++) {
    const group = groups.of[s]!;
    near[s] = group >= 0 && groups.members[group]! >= 3 ? group : near[scopes.parent[s]!]!;
  }
  for (let b = 0; b < count; b++) {
    const group = near[scopes.leaf[b]!]!;
    keys[b] = group >= 0 ? group : -1 - b;
  }
  fillMeans(keys, score, column);
}

function fillMeans(keys: Int32Array, score: Float32Array, column: Float32Array): void {
  const sums = new Map<number, [number, number]>();
  for (let b = 0; b < keys.length; b++) {
    const entry = sums.get(keys[b]!);
    if (entry === undefined) sums.set(keys[b]!, [score[b]!, 1]);
    else {
      entry[0] += score[b]!;
      entry[1]++;
    }
  }
  for (let b = 0; b < keys.length; b++) {
    const [total, count] = sums.get(keys[b]!)!;
    column[b] = total / count;
  }
}
