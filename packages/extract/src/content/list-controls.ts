import { TAG, TEXT } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { SORT } from './appeal-phrases.ts';
import { readBlockText } from './blocks/block-text.ts';
import {
  ELEMENT,
  HASH,
  LINK_WORDS,
  LINKS,
  NUMBERS,
  STRIDE,
  TOKENS,
  WORDS,
  WORDS_KEPT,
  type Blocks,
} from './blocks/blocks.ts';
import type { Scopes } from './blocks/scopes.ts';
import { hashWords } from './words/word-families.ts';

/** Words of a link such as "Read more" or a button such as "Add to cart". */
const MAX_WORDS = 4;
/** Least number of cards. */
const LEAST_CARDS = 3;
/** Least share of the links that lead where another, longer link of the page leads. */
const LEAST_LED = 0.8;
const MAX_LEVELS = 4;
const MAX_NODES = 100;

/** First words of `SORT`. */
const SORT_WORDS: ReadonlySet<number> = hashWords(
  'sort sorted relevance by price alphabetically name title date new newest old oldest low lowest high highest sortieren ' +
    'sortierung preis niedrigster höchster trier prix ordenar precio preço menor mayor maior ordina prezzo sorteer sorteren ' +
    'prijs sortuj cena сортировать Сортировать сначала Сначала по По 並び替え 価格 価格の安い順 価格の高い順 价格从低到高 价格从高到低 낮은 높은',
);
const MAX_OPTION = 6;
const MAX_OPTIONS = 16;
/** Words of a line of links to orders. */
const MAX_LINE = 24;
const LEAST_OPTIONS = 2;

/** Marks links, buttons and orders that belong to the software of a list, not to its items; undefined without any. */
export function findListControls(tree: Tree, blocks: Blocks, scopes: Scopes): Uint8Array | undefined {
  const marks = new Uint8Array(blocks.count);
  const found = markCardControls(tree, blocks, marks) + markOrders(tree, blocks, scopes, marks);
  return found === 0 ? undefined : marks;
}

/**
 * Marks the links and buttons that each card of a page repeats, with one text. The links lead to different pages, to
 * which the titles of the cards lead too.
 */
function markCardControls(tree: Tree, blocks: Blocks, marks: Uint8Array): number {
  const { rows, count } = blocks;
  const counts = new Map<number, number>();
  for (let block = 0; block < count; block++)
    if (mayBeControl(blocks, block))
      counts.set(rows[block * STRIDE + HASH], (counts.get(rows[block * STRIDE + HASH]) ?? 0) + 1);
  const groups = new Map<number, number[]>();
  for (let block = 0; block < count; block++) {
    const key = rows[block * STRIDE + HASH];
    // Most texts stand once.
    if ((counts.get(key) ?? 0) < LEAST_CARDS || !mayBeControl(blocks, block)) continue;
    const control = findControl(tree, blocks, block);
    if (control < 0) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [block, control]);
    else group.push(block, control);
  }
  let found = 0;
  let longest: ReadonlyMap<string, number> | undefined;
  for (const group of groups.values()) {
    if (group.length < 2 * LEAST_CARDS) continue;
    const controls = group.filter((_, index) => index % 2 === 1);
    if (tree.tag[controls[0]] === TAG.a && !leadToTitles(tree, controls, (longest ??= measureLinks(tree)))) continue;
    for (let index = 0; index < group.length; index += 2) marks[group[index]] = 1;
    found++;
  }
  return found;
}

/** Marks the orders among which a reader chooses, such as "Price, low to high". */
function markOrders(tree: Tree, blocks: Blocks, { parent, leaf, from, to }: Scopes, marks: Uint8Array): number {
  const { rows, firstWords, count } = blocks;
  const isShort = (block: number): boolean => rows[block * STRIDE + TOKENS] <= MAX_OPTION;
  const isLine = (block: number): boolean =>
    rows[block * STRIDE + TOKENS] <= MAX_LINE && rows[block * STRIDE + LINKS] >= LEAST_OPTIONS;
  let found = 0;
  let before = -MAX_OPTIONS;
  for (let block = 0; block < count; block++) {
    if (!SORT_WORDS.has(firstWords[block * WORDS_KEPT]) || !(isShort(block) || isLine(block))) continue;
    if (!SORT.test(readBlockText(tree, blocks, block))) continue;
    if (!isShort(block)) {
      marks[block] = 1;
      found++;
      continue;
    }
    if (block - before < MAX_OPTIONS) {
      let list = leaf[block];
      while (from[list] > before) list = parent[list];
      let last = from[list];
      while (last < to[list] && last - from[list] <= MAX_OPTIONS && isShort(last)) last++;
      if (last === to[list]) {
        marks.fill(1, from[list], to[list]);
        found++;
      }
    }
    before = block;
  }
  return found;
}

/** Whether a block is short, without numbers, and all of it in one link, or perhaps a button. */
function mayBeControl({ rows, buttons }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  const words = rows[row + TOKENS];
  if (words === 0 || words > MAX_WORDS || rows[row + NUMBERS] > 0) return false;
  return rows[row + LINKS] === 0
    ? buttons.length > 0
    : rows[row + LINKS] === 1 && rows[row + LINK_WORDS] === rows[row + WORDS];
}

/** Returns the link or button around a block, else -1. */
function findControl({ tag, parent }: Tree, { rows }: Blocks, block: number): number {
  let node = rows[block * STRIDE + ELEMENT];
  for (let level = 0; level < MAX_LEVELS && node > 0; level++, node = parent[node])
    if (tag[node] === TAG.button || tag[node] === TAG.a) return node;
  return -1;
}

function leadToTitles(tree: Tree, links: readonly number[], longest: ReadonlyMap<string, number>): boolean {
  const targets = new Set<string>();
  let led = 0;
  for (const link of links) {
    const target = readTarget(tree, link);
    targets.add(target);
    if ((longest.get(target) ?? 0) > measureText(tree, link)) led++;
  }
  return Math.min(targets.size, led) >= LEAST_LED * links.length;
}

/** Length of the longest text of the links to each address. */
function measureLinks(tree: Tree): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (let node = 0; node < tree.size; node++) {
    if (tree.tag[node] !== TAG.a) continue;
    const target = readTarget(tree, node);
    longest.set(target, Math.max(longest.get(target) ?? 0, measureText(tree, node)));
  }
  return longest;
}

function measureText({ tag, value, end }: Tree, node: number): number {
  let length = 0;
  const stop = Math.min(end[node], node + MAX_NODES);
  for (let inner = node + 1; inner < stop; inner++) if (tag[inner] === TEXT) length += value[inner].trim().length;
  return length;
}

function readTarget(tree: Tree, link: number): string {
  const href = getAttribute(tree, link, 'href') ?? '';
  const mark = href.indexOf('#');
  return mark < 0 ? href : href.slice(0, mark);
}
