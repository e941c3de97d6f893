import { getHiddenBits, HIDDEN_ATTRIBUTE, HIDDEN_STYLE } from '../content/hidden.ts';
import { DROPPED, OTHER, TAG, TAG_FLAGS } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

/**
 * True for an element whose text is no part of the page's: scripts, the source of a formula, and, inside a
 * selected block, what its own markup hides. (Whole blocks that are hidden were not selected.)
 */
export function isUnseen(tree: Tree, node: number, isContent: boolean): boolean {
  const tag = tree.tag[node]!;
  if (tag === OTHER && tree.value[node]!.startsWith('annotation')) return true;
  // A template has children in the tree only when they are shown.
  if (TAG_FLAGS[tag]! & DROPPED) return tag !== TAG.template;
  if (!isContent || tree.attributes[node] === undefined) return false;
  return (getHiddenBits(tree, node) & (HIDDEN_ATTRIBUTE | HIDDEN_STYLE)) !== 0;
}
