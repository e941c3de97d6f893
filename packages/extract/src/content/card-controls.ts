import type { Tree } from '../tree/tree.ts';
import { getAttribute } from '../tree/tree.ts';
import { TAG } from '../tree/tags.ts';
import { getNodeText } from '../tree/text/node-text.ts';
import { ELEMENT, HASH, LINK_WORDS, LINKS, NUMBERS, STRIDE, TOKENS, WORDS, type Blocks } from './blocks/blocks.ts';

/** Words of a link such as "Read more" or a button such as "Add to cart". */
const MAX_WORDS = 4;
/** Least number of cards. */
const LEAST_CARDS = 3;
/** Least share of the links that lead where another, longer link of the page leads. */
const LEAST_LED = 0.8;
const MAX_LEVELS = 4;
const MAX_LINKS = 10_000;

/**
 * Marks the links and buttons that each card of a page repeats, with one text; undefined without any. The links lead to
 * different pages, to which the titles of the cards lead too.
 */
export function findCardControls(tree: Tree, blocks: Blocks): Uint8Array | undefined {
  const groups = new Map<number, number[]>();
  for (let block = 0; block < blocks.count; block++) {
    const control = findControl(tree, blocks, block);
    if (control < 0) continue;
    // Of two hashes, a text of a link and one of a button, one.
    const key = blocks.rows[block * STRIDE + HASH];
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [block, control]);
    else group.push(block, control);
  }
  let marks: Uint8Array | undefined;
  let longest: ReadonlyMap<string, number> | undefined;
  for (const group of groups.values()) {
    if (group.length < 2 * LEAST_CARDS) continue;
    const controls = group.filter((_, index) => index % 2 === 1);
    if (tree.tag[controls[0]] === TAG.a) {
      longest ??= measureLinks(tree);
      if (!leadToTitles(tree, controls, longest)) continue;
    }
    marks ??= new Uint8Array(blocks.count);
    for (let index = 0; index < group.length; index += 2) marks[group[index]] = 1;
  }
  return marks;
}

/** Returns the link or button that is a whole short block without numbers, else -1. */
function findControl({ tag, parent }: Tree, { rows }: Blocks, block: number): number {
  const row = block * STRIDE;
  const words = rows[row + TOKENS];
  if (words === 0 || words > MAX_WORDS || rows[row + NUMBERS] > 0 || rows[row + LINKS] > 1) return -1;
  let node = rows[row + ELEMENT];
  for (let level = 0; level < MAX_LEVELS && node > 0; level++, node = parent[node]) {
    if (tag[node] === TAG.button) return node;
    if (tag[node] === TAG.a) return rows[row + LINK_WORDS] === rows[row + WORDS] ? node : -1;
  }
  return -1;
}

function leadToTitles(tree: Tree, links: readonly number[], longest: ReadonlyMap<string, number>): boolean {
  const targets = new Set<string>();
  let led = 0;
  for (const link of links) {
    const target = readTarget(tree, link);
    targets.add(target);
    if ((longest.get(target) ?? 0) > getNodeText(tree, link).length) led++;
  }
  return targets.size >= LEAST_LED * links.length && led >= LEAST_LED * links.length;
}

/** Length of the longest text of the links to each address. */
function measureLinks(tree: Tree): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (let node = 0; node < tree.size && longest.size < MAX_LINKS; node++) {
    if (tree.tag[node] !== TAG.a) continue;
    const target = readTarget(tree, node);
    longest.set(target, Math.max(longest.get(target) ?? 0, getNodeText(tree, node).length));
  }
  return longest;
}

function readTarget(tree: Tree, link: number): string {
  return (getAttribute(tree, link, 'href') ?? '').replace(/#.*/s, '');
}
