import { BLOCK, DROPPED, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { collapse } from '../../tree/text/node-text.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { cleanByline, looksLikeLabel, looksLikePerson, refuseName } from '../../page/person-names.ts';

const SEPARATOR = /^(?:[,;，、،&+]|[,，]?\s?(?:and|und|et|y|e|og|och|ve|en|i|и|και|ו|و|&))$/iu;
/** Longer lists are teams. */
const MAX_PEOPLE = 12;
/** Maximum nodes and characters between two names. */
const MAX_BETWEEN = 8;
const MAX_GAP = 200;

/**
 * Joins names in similar elements separated only by commas and "and". Neighbouring users of a discussion are not
 * joined.
 */
export function joinNeighbours(
  facts: PageFacts,
  nodes: readonly number[],
  getMark: (node: number) => string | null,
  readText: (node: number) => string | null,
): Map<number, string> {
  const lists = new Map<number, string>();
  if (facts.isDiscussion) return lists;
  const seen = new Set<number>();
  for (let first = 0; first < nodes.length; first++) {
    if (seen.has(first)) continue;
    const names: string[] = [];
    for (let at = first, next = first; next >= 0; at = next) {
      next = findNeighbour(facts.tree, nodes, at, getMark);
      if (next < 0 && at === first) break;
      const name = cleanByline(readText(nodes[at]) ?? '');
      if (!isFullName(name)) break;
      seen.add(at);
      if (!names.includes(name)) names.push(name);
    }
    if (names.length > 1 && names.length <= MAX_PEOPLE) lists.set(nodes[first], names.join(', '));
  }
  return lists;
}

/** Index in `nodes` of the next element of the list, or -1. */
function findNeighbour(
  tree: Tree,
  nodes: readonly number[],
  at: number,
  getMark: (node: number) => string | null,
): number {
  const node = nodes[at];
  const mark = getMark(node);
  const end = tree.end[node];
  if (mark === null) return -1;
  for (let i = at + 1; i < nodes.length && nodes[i] <= end + MAX_BETWEEN; i++) {
    const next = nodes[i];
    if (next < end || tree.tag[next] !== tree.tag[node] || getMark(next) !== mark) continue;
    return isListed(tree, node, next) ? i : -1;
  }
  return -1;
}

function isListed(tree: Tree, node: number, next: number): boolean {
  let text = '';
  for (let i = tree.end[node]; i < next; i++) {
    if (tree.tag[i] === TEXT) text += tree.value[i].slice(0, MAX_GAP);
    else if (endsLine(tree, i)) return false;
  }
  const between = collapse(text);
  if (between === '') return tree.parent[node] === tree.parent[next];
  return SEPARATOR.test(between) && findBlock(tree, node) === findBlock(tree, next);
}

/** The name in a text node, joined with the names that follow it in similar elements. */
export function readList(tree: Tree, first: number): string {
  const names = [collapse(tree.value[first])];
  if (!isFullName(names[0])) return names[0];
  const stop = Math.min(tree.end[findBlock(tree, first)], first + 2 * MAX_PEOPLE * MAX_BETWEEN);
  let separator = '';
  for (let i = first + 1; i < stop && names.length < MAX_PEOPLE; i++) {
    if (tree.tag[i] !== TEXT) {
      if (endsLine(tree, i)) break;
      if ((TAG_FLAGS[tree.tag[i]] & DROPPED) !== 0) i = tree.end[i] - 1;
      continue;
    }
    const text = collapse(tree.value[i].slice(0, MAX_GAP));
    if (text === '') continue;
    if (separator === '' && SEPARATOR.test(text)) separator = text;
    else if (separator !== '' && isFullName(text) && isLinkedAlike(tree, first, i, separator)) {
      names.push(text);
      separator = '';
    } else break;
  }
  return names.join(', ');
}

/** Whether two names are in similar elements. After a lone comma, a link to another folder is a place or a section. */
function isLinkedAlike(tree: Tree, first: number, next: number, separator: string): boolean {
  const [one, other] = [tree.parent[first], tree.parent[next]];
  if (tree.tag[one] !== tree.tag[other]) return false;
  return /\p{L}|&/u.test(separator) || getFolder(tree, one) === getFolder(tree, other);
}

function getFolder(tree: Tree, node: number): string {
  const href = (getAttribute(tree, node, 'href') ?? '').slice(0, MAX_GAP);
  return href.replace(/[?#][^]*/, '').replace(/(?<![^/])[^/]*\/?$/, '');
}

function isFullName(name: string): boolean {
  if (refuseName(name) !== null || !looksLikePerson(name) || looksLikeLabel(name)) return false;
  return /^\S+ \S/.test(name) || !/\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}/u.test(name);
}

function endsLine(tree: Tree, node: number): boolean {
  const tag = tree.tag[node];
  return tag === TAG.br || (TAG_FLAGS[tag] & BLOCK) !== 0;
}

function findBlock(tree: Tree, node: number): number {
  let block = tree.parent[node];
  while (block > 0 && (TAG_FLAGS[tree.tag[block]] & BLOCK) === 0) block = tree.parent[block];
  return block;
}
