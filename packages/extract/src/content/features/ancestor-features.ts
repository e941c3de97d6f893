import type { Columns } from './columns.ts';
import { ratio, scale, countWithin, type PageView } from './page-view.ts';

const HEIGHT = 6;
const MEASURES = [
  'words',
  'share',
  'proseShare',
  'links',
  'wordsPerBlock',
  'headingShare',
  'proseDensity',
  'images',
  'linkBlocks',
] as const;

/** Content of the scopes above a block: `up1` is the scope above its leaf. */
export const ANCESTOR_FEATURES: readonly string[] = Array.from({ length: HEIGHT }, (_, up) =>
  MEASURES.map((measure) => `up${up + 1}.${measure}`),
).flat();

export function fillAncestorFeatures(view: PageView, { values, starts }: Columns): void {
  const { scopes, count } = view;
  const measures = measureScopes(view);
  const width = MEASURES.length;
  for (let b = 0; b < count; b++) {
    let scope = scopes.leaf[b];
    for (let up = 0; up < HEIGHT; up++) {
      const above = scopes.parent[scope];
      if (above >= 0) scope = above;
      for (let m = 0; m < width; m++) values[starts[up * width + m] + b] = measures[scope * width + m];
    }
  }
}

function measureScopes(view: PageView): Float32Array {
  const { scopes, count, words, linkWords, prose, headings, linkBlocks, tree, blocks } = view;
  const width = MEASURES.length;
  const measures = new Float32Array(scopes.count * width);
  for (let s = 0; s < scopes.count; s++) {
    const from = scopes.from[s];
    const to = scopes.to[s];
    const size = to - from;
    const text = words[to] - words[from];
    const proseText = prose[to] - prose[from];
    const element = scopes.element[s];
    let m = s * width;
    measures[m++] = scale(text);
    measures[m++] = ratio(text, words[count]);
    measures[m++] = ratio(proseText, prose[count]);
    measures[m++] = ratio(linkWords[to] - linkWords[from], text);
    measures[m++] = scale(ratio(text, size));
    measures[m++] = ratio(headings[to] - headings[from], size);
    measures[m++] = ratio(proseText, text);
    measures[m++] = element < 0 ? 0 : countWithin(blocks.images, element, tree.end[element]) / size;
    measures[m++] = ratio(linkBlocks[to] - linkBlocks[from], size);
  }
  return measures;
}
