import { TAG } from '../../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../../tree/tree.ts';
import { PRICES, STRIDE, TOKENS, WORDS_KEPT } from '../blocks/blocks.ts';
import { hashWord } from '../words/word-families.ts';
import { fillColumns, sliceColumns, type Columns } from './columns.ts';
import { scale, type PageView } from './page-view.ts';
import { fillRelation, findH1 } from './place-features.ts';

/**
 * Whether a block repeats the stated description, and its distance to the first such block and to the first price below
 * the title.
 */
export const STATED_FEATURES: readonly string[] = [
  'stated.description',
  'fromDescription',
  'upFromDescription',
  'downFromDescription',
  'fromPrice',
  'upFromPrice',
  'downFromPrice',
];

/** Limits in characters: descriptions, JSON-LD, shortest description. */
const MOST_CHARACTERS = 20_000;
const MOST_DATA = 200_000;
const LEAST_CHARACTERS = 20;
const LEAST_PAIRS = 4;
const LEAST_SHARE = 0.6;
const NOWHERE = -99;

const WORD = /[\p{L}\p{N}_]+/gu;
const FACTOR = 31;

export function fillStatedFeatures(view: PageView, columns: Columns): void {
  const { values, starts } = columns;
  const { count, blocks } = view;
  const { rows, firstWords } = blocks;
  const description = readDescription(view.tree);
  let place = -1;
  for (let b = 0; b < count; b++) {
    const pairs = Math.min(WORDS_KEPT, rows[b * STRIDE + TOKENS]) - 1;
    let shared = 0;
    for (let k = 0; k < pairs; k++) {
      const at = b * WORDS_KEPT + k;
      if (description.has(joinPair(firstWords[at], firstWords[at + 1]))) shared++;
    }
    values[starts[0] + b] = shared / Math.max(1, pairs);
    if (place < 0 && shared >= LEAST_PAIRS && shared >= LEAST_SHARE * pairs) place = b;
  }
  fillDistance(view, place, sliceColumns(columns, 1, 4));
  fillDistance(view, findPrice(view), sliceColumns(columns, 4));
}

function fillDistance({ count, scopes }: PageView, block: number, columns: Columns): void {
  const { values, starts } = columns;
  const [distance] = starts;
  if (block < 0) {
    fillColumns(columns, count, NOWHERE);
    return;
  }
  for (let b = 0; b < count; b++) values[distance + b] = Math.sign(b - block) * scale(Math.abs(b - block));
  fillRelation(scopes, scopes.leaf[block], sliceColumns(columns, 1));
}

function findPrice(view: PageView): number {
  for (let b = Math.max(0, findH1(view)); b < view.count; b++) {
    if (view.blocks.rows[b * STRIDE + PRICES] > 0) return b;
  }
  return -1;
}

function readDescription(tree: Tree): ReadonlySet<number> {
  const pairs = new Set<number>();
  let left = MOST_CHARACTERS;
  const add = (text: string): void => {
    if (text.length < LEAST_CHARACTERS || left <= 0) return;
    addPairs(text.slice(0, left), pairs);
    left -= text.length;
  };
  for (let node = 0; node < tree.size; node++) {
    const tag = tree.tag[node];
    if (tag === TAG.meta) {
      const name = getAttribute(tree, node, 'name') ?? getAttribute(tree, node, 'property');
      if (name === 'description' || name === 'og:description') add(getAttribute(tree, node, 'content') ?? '');
    } else if (tag === TAG.script && getAttribute(tree, node, 'type') === 'application/ld+json') {
      for (const [, text] of getTextContent(tree, node).slice(0, MOST_DATA).matchAll(DESCRIPTION)) {
        add(text.replaceAll(ESCAPE, ' '));
      }
    }
  }
  return pairs;
}

const DESCRIPTION = /"description"\s{0,9}:\s{0,9}"([^"\\]*(?:\\[^][^"\\]*)*)"/g;
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)|<[^<>]{0,200}>/g;

function addPairs(text: string, to: Set<number>): void {
  let previous = 0;
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    const hash = hashWord(word);
    if (previous !== 0) to.add(joinPair(previous, hash));
    previous = hash;
  }
}

function joinPair(first: number, second: number): number {
  return (Math.imul(first, FACTOR) + second) | 0;
}
