import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { memoize } from '../tree/memoize.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import type { Blocks } from './blocks/blocks.ts';
import { listWords, WordRuns } from './word-runs.ts';

const NAMED = /pull-?quote/i;
const MAX_NAME = 300;
const MAX_TEXT = 1_000;
const MAX_NODES = 200;
const MAX_QUOTES = 200;
const MAX_CLASSES = 10_000;
/** In words; the shortest is a phrase, the longest a passage that an author quotes. */
const SHORTEST = 5;
const LONGEST = 60;
/** Words around the repeated ones, such as the name of the speaker. */
const MOST_OTHER = 3;

/** Marks quotes that repeat a sentence of the text beside them in large letters; undefined without any. */
export function findPullQuotes(tree: Tree, blocks: Blocks): Uint8Array | undefined {
  const quotes: { readonly node: number; readonly words: readonly string[] }[] = [];
  const { size, tag, end, value } = tree;
  const isNamed = memoize((classes) => NAMED.test(classes.slice(0, MAX_NAME)), MAX_CLASSES);
  for (let node = 1; node < size && quotes.length < MAX_QUOTES; node++) {
    if (tag[node] === TEXT || !mayBePullQuote(tree, node, isNamed)) continue;
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

function mayBePullQuote(tree: Tree, node: number, isNamed: (classes: string) => boolean): boolean {
  if (tree.tag[node] === TAG.aside && isBeforeParagraph(tree, node)) return true;
  if (tree.attributes[node] === undefined) return false;
  const classes = getAttribute(tree, node, 'class');
  return classes !== undefined && isNamed(classes);
}

/** Pull quotes stand between the paragraphs of a text. */
function isBeforeParagraph({ size, tag, end }: Tree, node: number): boolean {
  const next = end[node];
  return next < size && tag[next === size - 1 || tag[next] !== TEXT ? next : next + 1] === TAG.p;
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
