import { TAG, TAG_FLAGS, HEADING } from '../../tree/tags.ts';
import {
  BOLD_WORDS,
  CAPITALIZED,
  CODE_WORDS,
  COMMAS,
  ELEMENT,
  FAMILIES,
  HASH,
  HIDDEN,
  HOLDER,
  LAST,
  LETTERS,
  LINK_WORDS,
  LINKS,
  NOSCRIPT,
  NUMBERS,
  OPENING,
  PRICES,
  STOPS,
  STRIDE,
  SYMBOLS,
  TITLE_WORDS,
  UPPERS,
  WORDS,
} from '../blocks/blocks.ts';
import { WORD_FAMILIES } from '../words/word-families.ts';
import type { Columns } from './columns.ts';
import { PROSE, ratio, scale, type PageView } from './page-view.ts';

/** Text elements ordered by their evidence for content, so that trees can split along it. */
const HOLDER_RANK: Readonly<Record<string, number>> = {
  select: 0,
  option: 0,
  optgroup: 0,
  button: 1,
  form: 1,
  legend: 1,
  nav: 1,
  footer: 1,
  aside: 2,
  li: 3,
  summary: 4,
  div: 5,
  section: 5,
  td: 6,
  th: 6,
  dt: 6,
  dd: 7,
  caption: 7,
  figcaption: 7,
  h6: 8,
  h5: 8,
  h4: 9,
  h3: 10,
  h2: 11,
  h1: 12,
  article: 13,
  p: 14,
  blockquote: 15,
  pre: 16,
};
const RANKS: Float32Array = new Float32Array(256).fill(4);
for (const [name, rank] of Object.entries(HOLDER_RANK)) RANKS[TAG[name as keyof typeof TAG]] = rank;

export const TEXT_FEATURES: readonly string[] = [
  'words',
  'linkShare',
  'boldShare',
  'capitalShare',
  'numberShare',
  'upperShare',
  'stops',
  'stopRate',
  'commaRate',
  'symbolRate',
  'lettersPerWord',
  'last',
  'opening',
  'headingLevel',
  'holderRank',
  'prices',
  'links',
  'titleShare',
  'titleWords',
  'hiddenAttribute',
  'hiddenStyle',
  'hiddenAria',
  'noscript',
  'codeShare',
  'repeats',
  'repeatIndex',
  'isProse',
  'isInlineOnly',
  ...WORD_FAMILIES.map((family) => `says.${family}`),
];

export function fillTextFeatures(view: PageView, { values, starts }: Columns): void {
  const { rows } = view.blocks;
  const { tag } = view.tree;
  const repeats = countRepeats(view);
  const seen = new Map<number, number>();
  const familyCount = WORD_FAMILIES.length;
  for (let b = 0; b < view.count; b++) {
    const row = b * STRIDE;
    const words = rows[row + WORDS];
    const letters = rows[row + LETTERS];
    const holder = rows[row + HOLDER];
    const hidden = rows[row + HIDDEN];
    const hash = rows[row + HASH];
    const index = seen.get(hash) ?? 0;
    seen.set(hash, index + 1);
    let c = 0;
    values[starts[c++] + b] = scale(words);
    values[starts[c++] + b] = ratio(rows[row + LINK_WORDS], words);
    values[starts[c++] + b] = ratio(rows[row + BOLD_WORDS], words);
    values[starts[c++] + b] = ratio(rows[row + CAPITALIZED], words);
    values[starts[c++] + b] = ratio(rows[row + NUMBERS], words);
    values[starts[c++] + b] = ratio(rows[row + UPPERS], letters);
    values[starts[c++] + b] = rows[row + STOPS];
    values[starts[c++] + b] = ratio(rows[row + STOPS], words);
    values[starts[c++] + b] = ratio(rows[row + COMMAS], words);
    values[starts[c++] + b] = ratio(rows[row + SYMBOLS], words);
    values[starts[c++] + b] = ratio(letters, words);
    values[starts[c++] + b] = rows[row + LAST];
    values[starts[c++] + b] = rows[row + OPENING];
    values[starts[c++] + b] = (TAG_FLAGS[holder] & HEADING) !== 0 ? holder - TAG.h1 + 1 : 0;
    values[starts[c++] + b] = RANKS[holder];
    values[starts[c++] + b] = rows[row + PRICES];
    values[starts[c++] + b] = rows[row + LINKS];
    values[starts[c++] + b] = ratio(rows[row + TITLE_WORDS], words);
    values[starts[c++] + b] = rows[row + TITLE_WORDS];
    values[starts[c++] + b] = hidden & 1;
    values[starts[c++] + b] = (hidden >> 1) & 1;
    values[starts[c++] + b] = (hidden >> 2) & 3;
    values[starts[c++] + b] = rows[row + NOSCRIPT];
    values[starts[c++] + b] = ratio(rows[row + CODE_WORDS], words);
    values[starts[c++] + b] = repeats.get(hash) ?? 1;
    values[starts[c++] + b] = index;
    values[starts[c++] + b] = view.kind[b] === PROSE ? 1 : 0;
    values[starts[c++] + b] = tag[rows[row + ELEMENT]] === holder ? 0 : 1;
    const families = rows[row + FAMILIES];
    for (let f = 0; f < familyCount; f++) values[starts[c++] + b] = (families >> f) & 1;
  }
}

function countRepeats(view: PageView): Map<number, number> {
  const counts = new Map<number, number>();
  for (let b = 0; b < view.count; b++) {
    const hash = view.blocks.rows[b * STRIDE + HASH];
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return counts;
}
