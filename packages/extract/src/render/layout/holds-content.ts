import type { ContentBlock } from '../../types/extraction.ts';
import type { Tree } from '../../tree/tree.ts';

/** Whether a node contains a part of the blocks (in document order). Binary search. */
export function holdsContent(tree: Tree, blocks: readonly ContentBlock[], node: number): boolean {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle].end > node) high = middle;
    else low = middle + 1;
  }
  const block = blocks[low];
  return block !== undefined && block.first < tree.end[node];
}
