import { weighWords } from '../blocks/word-lexicon.ts';
import { sliceColumns, type Columns } from './columns.ts';
import type { NearGroups } from './group-features.ts';
import { fillMeans } from './lexicon-features.ts';
import type { PageView } from './page-view.ts';

export const WORD_FEATURES: readonly string[] = [
  'text.block',
  'text.previous',
  'text.next',
  'text.window2',
  'text.window6',
  'text.up1',
  'text.up2',
  'text.up3',
  'text.path',
  'text.member',
  'text.page',
];

export function fillWordFeatures(view: PageView, near: NearGroups, columns: Columns): void {
  const { values, starts } = columns;
  const { scopes, count, words } = view;
  const score = new Float32Array(count);
  const sum = new Float64Array(count + 1);
  const size = new Float64Array(count + 1);
  for (let b = 0; b < count; b++) {
    score[b] = weighWords(view.wordLexicon, view.blocks, b);
    const weight = Math.sqrt(words[b + 1] - words[b]);
    sum[b + 1] = sum[b] + score[b] * weight;
    size[b + 1] = size[b] + weight;
  }
  const mean = (from: number, to: number): number => (sum[to] - sum[from]) / (size[to] - size[from] || 1);
  const page = mean(0, count);
  for (let b = 0; b < count; b++) {
    values[starts[0] + b] = score[b];
    values[starts[1] + b] = b > 0 ? score[b - 1] : 0;
    values[starts[2] + b] = b + 1 < count ? score[b + 1] : 0;
    values[starts[3] + b] = mean(Math.max(0, b - 2), Math.min(count, b + 3));
    values[starts[4] + b] = mean(Math.max(0, b - 6), Math.min(count, b + 7));
    let scope = scopes.leaf[b];
    for (let up = 1; up <= 3; up++) {
      if (scopes.parent[scope] >= 0) scope = scopes.parent[scope];
      values[starts[4 + up] + b] = mean(scopes.from[scope], scopes.to[scope]);
    }
    values[starts[10] + b] = page;
  }
  fillMeans(view.paths.of, view.paths.count, score, sliceColumns(columns, 8));
  fillMeans(near.of, near.count, score, sliceColumns(columns, 9));
}
