import { LEVELS } from '../words/element-names.ts';
import { sliceColumns, type Columns } from './columns.ts';
import type { NearGroups } from './group-features.ts';
import type { PageView } from './page-view.ts';

/** Log-odds of content from the names of elements around a block. */
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

export function fillLexiconFeatures(view: PageView, near: NearGroups, columns: Columns): void {
  const { values, starts } = columns;
  const [block, ofOwn, ofAbove, ofOuter, window2, window6] = starts;
  const [ofPage, relative] = starts.slice(-2);
  const { scopes, count, words } = view;
  const { weights, parent, leaf } = scopes;
  const outer = sumOuter(view);
  const score = new Float32Array(count);
  const sum = new Float64Array(count + 1);
  const size = new Float64Array(count + 1);
  for (let b = 0; b < count; b++) {
    const own = leaf[b];
    const above = parent[own];
    const second = above < 0 ? -1 : parent[above];
    const third = second < 0 ? -1 : parent[second];
    const nearest = weights[own * LEVELS];
    const next = above < 0 ? 0 : weights[above * LEVELS + 1];
    const further = (second < 0 ? 0 : weights[second * LEVELS + 2]) + (third < 0 ? 0 : outer[third]);
    score[b] = nearest + next + further;
    values[block + b] = score[b];
    values[ofOwn + b] = nearest;
    values[ofAbove + b] = next;
    values[ofOuter + b] = further;
    const weight = Math.sqrt(words[b + 1] - words[b]);
    sum[b + 1] = sum[b] + score[b] * weight;
    size[b + 1] = size[b] + weight;
  }
  const mean = (from: number, to: number): number => (sum[to] - sum[from]) / (size[to] - size[from] || 1);
  for (let b = 0; b < count; b++) {
    values[window2 + b] = mean(Math.max(0, b - 2), Math.min(count, b + 3));
    values[window6 + b] = mean(Math.max(0, b - 6), Math.min(count, b + 7));
    let scope = leaf[b];
    for (let up = 1, c = 6; up <= 5; up++) {
      if (parent[scope] >= 0) scope = parent[scope];
      if (up !== 4) values[starts[c++] + b] = mean(scopes.from[scope], scopes.to[scope]);
    }
  }
  fillMeans(view.paths.of, view.paths.count, score, sliceColumns(columns, 10));
  fillMeans(near.of, near.count, score, sliceColumns(columns, 11));
  const page = mean(0, count);
  for (let b = 0; b < count; b++) {
    values[ofPage + b] = page;
    values[relative + b] = score[b] - page;
  }
}

function sumOuter(view: PageView): Float32Array {
  const { scopes } = view;
  const outer = new Float32Array(scopes.count);
  for (let s = 0; s < scopes.count; s++) {
    const above = scopes.parent[s];
    outer[s] = scopes.weights[s * LEVELS + 3] + (above < 0 ? 0 : outer[above]);
  }
  return outer;
}

/** Fills the first column with the mean score over the blocks of each key; keys are below `size`. */
export function fillMeans(keys: Int32Array, size: number, score: Float32Array, { values, starts }: Columns): void {
  const sums = new Float64Array(size);
  const counts = new Int32Array(size);
  for (let b = 0; b < keys.length; b++) {
    sums[keys[b]] += score[b];
    counts[keys[b]]++;
  }
  const [start] = starts;
  for (let b = 0; b < keys.length; b++) values[start + b] = sums[keys[b]] / counts[keys[b]];
}
