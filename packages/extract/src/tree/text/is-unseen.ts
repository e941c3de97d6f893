import { HIDES } from '../hiding/find-hidden.ts';
import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree.ts';
import { isFormulaPicture, isPicturedFormula } from './formulas.ts';

/** Longer texts of a link are never only a mark. */
const MARK_LENGTH = 3;
/** The link "[edit]" that MediaWiki puts into headings. */
const EDIT_LINK = 'mw-editsection';
/** What stands inside them is for browsers that do not know them. */
const FALLBACKS: ReadonlySet<number> = new Set([TAG.audio, TAG.video]);
const WORD = /[\p{L}\p{N}]/u;

/**
 * True for an element whose text is no part of the page's: scripts, what stands in for sound and films, the picture of
 * a formula, the marks (`¶`, `#`) by which headings link to themselves, their link to the editor, and, inside a selected
 * block, what its own markup hides. (Whole blocks that are hidden were not selected.)
 */
export function isUnseen(tree: Tree, node: number, isContent: boolean): boolean {
  const tag = tree.tag[node]!;
  // A template has children in the tree only when they are shown.
  if (TAG_FLAGS[tag]! & DROPPED) return tag !== TAG.template;
  if (FALLBACKS.has(tag)) return true;
  if (tag === TAG.rp && holdsWord(tree, node)) return true;
  if (tree.attributes[node] === undefined) return false;
  if (isFormulaPicture(tree, node)) return true;
  if (tag === TAG.span && getAttribute(tree, node, 'class') === EDIT_LINK) return true;
  if (tag === TAG.a && isPermalinkMark(tree, node)) return true;
  if (!isContent) return false;
  return tree.hidden[node] === HIDES && !isPicturedFormula(tree, node);
}

/** `<rp>` holds the parentheses of a reading aid, which browsers do not show; a word in it is shown by none. */
function holdsWord(tree: Tree, node: number): boolean {
  return WORD.test(getTextContent(tree, node));
}

/** Whether an element is a link to a heading on its own page, with a mark and no word as its text. */
export function isPermalinkMark(tree: Tree, link: number): boolean {
  const text = tree.value[link + 1];
  if (tree.end[link] !== link + 2 || tree.tag[link + 1] !== TEXT || text === undefined) return false;
  if (text.length > MARK_LENGTH || WORD.test(text)) return false;
  return getAttribute(tree, link, 'href')?.startsWith('#') ?? false;
}
