import { NAME_FAMILIES } from '../words/name-families.ts';
import { PROSE, TITLING, ratio, scale, type PageView } from './page-view.ts';
import { markBelow } from '../blocks/scopes.ts';

const NAMES = ['price', 'forum', 'comment', 'review', 'card'] as const;

/** What the likely content of a page looks like: it tells the page's type better than the page with its surroundings. */
export const LIKELY_FEATURES: readonly string[] = [
  ...['words', 'share', 'sure', 'perBlock', 'links', 'linkBlocks', 'prose', 'headings', 'longest'].map(likely),
  ...NAMES.map(likely),
];

function likely(name: string): string {
  return `likely.${name}`;
}

/** @param probabilities by block, as the trees give them */
export function describeLikely(view: PageView, probabilities: Float32Array): Float32Array {
  const { count, words, linkWords, kind, scopes } = view;
  const marks = NAMES.map((name) => markBelow(scopes, scopes.nameBits, NAME_FAMILIES.indexOf(name)));
  const named = NAMES.map(() => 0);
  let [expected, blocks, sure, links, linkBlocks, prose, headings, longest] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let b = 0; b < count; b++) {
    const p = probabilities[b];
    const size = words[b + 1] - words[b];
    const likelyWords = p * size;
    const linked = linkWords[b + 1] - linkWords[b];
    expected += likelyWords;
    blocks += p;
    sure += p * likelyWords;
    links += p * linked;
    if (linked * 2 > size) linkBlocks += p;
    if (kind[b] === PROSE) prose += likelyWords;
    else if (kind[b] === TITLING) headings += p;
    longest = Math.max(longest, likelyWords);
    for (let m = 0; m < marks.length; m++) if (marks[m](b)) named[m] += likelyWords;
  }
  return Float32Array.from([
    scale(expected),
    ratio(expected, words[count]),
    ratio(sure, expected),
    scale(ratio(expected, blocks)),
    ratio(links, expected),
    ratio(linkBlocks, blocks),
    ratio(prose, expected),
    ratio(headings, blocks),
    scale(longest),
    ...named.map((value) => ratio(value, expected)),
  ]);
}
