import type { ContentBlock } from '../../types/extraction.ts';
import { TAG, TEXT } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import { isUnseen } from '../../tree/text/is-unseen.ts';
import { readRoles } from '../layout/read-roles.ts';
import { TextLayout } from './text-layout.ts';

/**
 * The text of blocks (in document order) as a reader sees it: blank lines between paragraphs, list items and table rows
 * on lines, tabs between cells, `<pre>` verbatim. One pass up to the last block.
 */
export function renderText(page: Tree, blocks: readonly ContentBlock[]): string {
  const tree = readRoles(page, blocks);
  const layout = new TextLayout(tree, blocks);
  let node = openAround(tree, layout, blocks);
  for (const block of blocks) node = enterBlock(tree, layout, node, block);
  return layout.finish();
}

/** Opens the elements around the first block, and returns the next node. */
function openAround(tree: Tree, layout: TextLayout, blocks: readonly ContentBlock[]): number {
  if (blocks.length === 0) return 0;
  const { first } = blocks[0];
  let node = 0;
  while (node < first) node = tree.end[node] <= first ? tree.end[node] : enter(tree, layout, node, first);
  return node;
}

/** Separate, because V8 recompiles a nested loop for each page. */
function enterBlock(tree: Tree, layout: TextLayout, start: number, { first, end }: ContentBlock): number {
  let node = start;
  // Elements between blocks are not written, but they separate.
  while (node < end) node = enter(tree, layout, node, first);
  return node;
}

/** Processes a node and returns the next; `first` is the first node of this block or the next. */
function enter(tree: Tree, layout: TextLayout, node: number, first: number): number {
  const tag = tree.tag[node];
  const isContent = node >= first;
  layout.leaveBefore(node);
  if (tag === TEXT) {
    if (isContent) layout.writeText(tree.value[node]);
    return node + 1;
  }
  if (layout.isLineNumbers(node)) return tree.end[node];
  layout.openElement(node, isContent);
  if (isUnseen(tree, node, isContent)) return tree.end[node];
  if (tag !== TAG.math) return node + 1;
  if (tree.end[node] > first) layout.writeFormula(node);
  return tree.end[node];
}
