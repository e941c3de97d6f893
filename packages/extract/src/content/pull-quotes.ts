import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import type { Blocks } from './blocks/blocks.ts';
import { listWords, WordRuns } from './word-runs.ts';

const NAMED = /pull-?quote/i;
const MAX_NAME = 300;
const MAX_QUOTES = 200;
/** In words; the shortest is a phrase, the longest a passage that an author quotes. */
const SHORTEST = 5;
const LONGEST = 60;
/** Words around the repeated ones, such as the name of the speaker. */
const MOST_OTHER = 3;

/** Marks quotes that repeat a sentence of the text beside them in large letters; undefined without any. */
export function findPullQuotes(tree: Tree, blocks: Blocks): Uint8Array | undefined {
  const quotes: { readonly node: number; readonly words: readonly string[] }[] = [];
  const { size, tag, end, value } = tree;
  for (let node = 1; node < size && quotes.length < MAX_QUOTES; node++) {
    if (tag[node] === TEXT || !mayBePullQuote(tree, node)) continue;
    const words = listShortWords(tree, node);
    if (words === undefined) continue;
    quotes.push({ node, words });
    node = end[node] - 1;
  }
  if (quotes.length === 0) return undefined;
  const runs = new WordRuns();
  let next = 0;
  for (let node = 1; node < size; node++) {
    if (node === quotes[next]?.node) {
      next++;
      node = end[node] - 1;
    } else if (tag[node] === TEXT) runs.learn(value[node]);
    else if ((TAG_FLAGS[tag[node]] & DROPPED) !== 0) node = end[node] - 1;
  }
  const marks = new Uint8Array(blocks.count);
  let isFound = false;
  for (const { node, words } of quotes) {
    const { start, covered, others } = runs.cover(words);
    if (start < 0 || covered < SHORTEST || start + others > MOST_OTHER) continue;
    marks.fill(1, blocks.before[node], blocks.before[end[node]]);
    isFound = true;
  }
  return isFound ? marks : undefined;
}

function mayBePullQuote(tree: Tree, node: number): boolean {
  const tag = tree.tag[node];
  if (tag === TAG.aside) return true;
  if (tree.attributes[node] === undefined) return false;
  return NAMED.test((getAttribute(tree, node, 'class') ?? '').slice(0, MAX_NAME));
}

/** The words of a text of a pull quote's length. */
function listShortWords({ tag, end, value }: Tree, node: number): readonly string[] | undefined {
  if (end[node] - node > MAX_NODES) return undefined;
  const words: string[] = [];
  for (let inner = node + 1; inner < end[node]; inner++) {
    if (tag[inner] === TEXT) words.push(...listWords(value[inner].slice(0, MAX_TEXT)));
    else if ((TAG_FLAGS[tag[inner]] & DROPPED) !== 0) inner = end[inner] - 1;
    if (words.length > LONGEST) return undefined;
  }
  return words.length < SHORTEST ? undefined : words;
}

const MAX_TEXT = 1_000;
const MAX_NODES = 200;
