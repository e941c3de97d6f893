import type { ContentBlock } from '../extraction.ts';
import { TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';
import { isUnseen } from './is-unseen.ts';
import { TextLayout } from './text-layout.ts';

/**
 * The text of the given blocks as a reader sees it: paragraphs parted by a blank line, list items and table rows
 * on lines of their own, cells parted by a tab, `<pre>` verbatim. Blocks stand in document order. One pass over
 * the nodes up to the last block, whatever their number or depth.
 */
export function renderText(tree: Tree, blocks: readonly ContentBlock[]): string {
  const layout = new TextLayout(tree);
  let node = 0;
  for (const block of blocks) {
    // What lies between blocks is not written, but its edges part what is.
    while (node < block.first) node = enter(tree, layout, node, false);
    while (node < block.end) node = enter(tree, layout, node, true);
  }
  return layout.finish();
}

/** Takes one node and returns the next one to look at. */
function enter(tree: Tree, layout: TextLayout, node: number, isContent: boolean): number {
  const tag = tree.tag[node]!;
  layout.leaveBefore(node);
  if (tag === TEXT) {
    if (isContent) layout.writeText(tree.value[node]!);
    return node + 1;
  }
  layout.openElement(node, isContent);
  return isUnseen(tree, node, isContent) ? tree.end[node]! : node + 1;
}
