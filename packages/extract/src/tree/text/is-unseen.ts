import { isHiddenItself } from '../hiding/find-hidden.ts';
import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree.ts';
import { isFormulaPicture, isPicturedFormula } from './formulas.ts';

const MARK_LENGTH = 3;
const LONGEST_LABEL = 24;
/** The number of a line of code, or a price that is repeated for scripts. */
const NUMBER_OR_PRICE = /^\d+$|\p{Sc}\s?\d|\d\s?(?:\p{Sc}|[A-Z]{3}$)/u;
/** MediaWiki's "[edit]" link in headings. */
const EDIT_LINK = 'mw-editsection';
/** Their content is for browsers that do not support them. */
const FALLBACKS: ReadonlySet<number> = new Set([TAG.audio, TAG.video]);
const WORD = /[\p{L}\p{N}]/u;

/**
 * Whether an element's text is not part of the page: scripts, fallbacks of media, pictures of formulas, self-links
 * (`¶`, `#`) and edit links of headings, and hidden parts of a selected block (hidden blocks are never selected).
 */
export function isUnseen(tree: Tree, node: number, isContent: boolean): boolean {
  const tag = tree.tag[node];
  // A template has children in the tree only if they are shown.
  if (TAG_FLAGS[tag] & DROPPED) return tag !== TAG.template;
  if (FALLBACKS.has(tag)) return true;
  if (tag === TAG.rp && holdsWord(tree, node)) return true;
  if (tree.attributes[node] === undefined) return false;
  if (isFormulaPicture(tree, node)) return true;
  if (tag === TAG.span && getAttribute(tree, node, 'class') === EDIT_LINK) return true;
  if (tag === TAG.a && isPermalinkMark(tree, node)) return true;
  if (!isContent) return false;
  return isHiddenItself(tree, node) && !isPicturedFormula(tree, node);
}

/** `<rp>` contains parentheses that browsers do not show; a word in it is never shown. */
function holdsWord(tree: Tree, node: number): boolean {
  return WORD.test(getTextContent(tree, node));
}

/** Whether a link to a fragment of the same page has a mark instead of a word. */
export function isPermalinkMark(tree: Tree, link: number): boolean {
  const text = tree.value[link + 1];
  if (tree.end[link] !== link + 2 || tree.tag[link + 1] !== TEXT || text === undefined) return false;
  if (text.length > MARK_LENGTH || WORD.test(text)) return false;
  return getAttribute(tree, link, 'href')?.startsWith('#') ?? false;
}

/** Where the visible part of a block starts: after hidden elements at its start, except short labels ("Price:"). */
export function skipHiddenStart(tree: Tree, element: number, first: number): number {
  let start = first;
  for (let at = tree.parent[first]; at > element; at = tree.parent[at]) {
    const isSkipped = isHiddenItself(tree, at) && !isPicturedFormula(tree, at);
    if (!isSkipped) continue;
    const text = getTextContent(tree, at).trim();
    if (text.length > LONGEST_LABEL || NUMBER_OR_PRICE.test(text) || isColumnName(tree, at, text)) start = tree.end[at];
  }
  return start;
}

/** Whether a label in a cell repeats the head of a column: narrow screens show it there. */
function isColumnName(tree: Tree, label: number, text: string): boolean {
  let node = tree.parent[label];
  for (let step = 0; step < MAX_AROUND && node > 0 && tree.tag[node] !== TAG.td; step++) node = tree.parent[node];
  if (tree.tag[node] !== TAG.td) return false;
  while (node > 0 && tree.tag[node] !== TAG.table) node = tree.parent[node];
  const end = Math.min(tree.end[node], node + MAX_HEAD);
  for (let cell = node + 1; cell < end && tree.tag[cell] !== TAG.td; cell++)
    if (tree.tag[cell] === TAG.th && getTextContent(tree, cell).trim() === text) return true;
  return false;
}

const MAX_AROUND = 4;
/** Nodes of a table that may be its head. */
const MAX_HEAD = 200;
