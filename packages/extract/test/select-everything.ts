import type { ContentBlock } from '../src/types/extraction.ts';
import { ELEMENT, END, findBlocks, FIRST, STRIDE } from '../src/content/blocks/blocks.ts';
import type { Tree } from '../src/tree/tree.ts';

/** Selects every text block of a page. */
export function selectEverything(tree: Tree): ContentBlock[] {
  const { rows, count } = findBlocks(tree);
  return Array.from({ length: count }, (_, block) => {
    const row = block * STRIDE;
    return { first: rows[row + FIRST], end: rows[row + END], element: rows[row + ELEMENT] };
  });
}
