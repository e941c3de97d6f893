import type { ContentBlock } from '../types/extraction.ts';
import { holdsContent } from '../render/layout/holds-content.ts';
import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

const INK = /\S/;
/** Largest distance from a text to its cell. */
const MAX_STEPS = 8;
const MAX_LENGTH = 60;

/** Adds the header cells (`<th>`) of rows with a selected cell: "0.6 kg" needs its "Weight". */
export function keepRowHeaders(tree: Tree, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const added: ContentBlock[] = [];
  const rows = new Set<number>();
  for (const block of blocks) {
    const row = findRow(tree, block.first);
    // After a nested table, the outer row comes again.
    if (row < 0 || rows.has(row)) continue;
    rows.add(row);
    for (let cell = row + 1; cell < tree.end[row]; cell = tree.end[cell]) {
      if (tree.tag[cell] === TAG.th && !holdsContent(tree, blocks, cell) && isLabel(tree, cell))
        added.push({ first: cell + 1, end: tree.end[cell], element: cell });
    }
  }
  return added.length === 0 ? blocks : [...blocks, ...added].toSorted((a, b) => a.first - b.first);
}

/** The row with a `<td>` around a node, or -1. */
function findRow(tree: Tree, node: number): number {
  let cell = tree.parent[node];
  for (let step = 0; step < MAX_STEPS && cell > 0 && tree.tag[cell] !== TAG.td; step++) cell = tree.parent[cell];
  const row = cell > 0 && tree.tag[cell] === TAG.td ? tree.parent[cell] : -1;
  return row > 0 && tree.tag[row] === TAG.tr ? row : -1;
}

function isLabel(tree: Tree, cell: number): boolean {
  let length = 0;
  let isInked = false;
  for (let node = cell + 1; node < tree.end[cell]; node++) {
    if (tree.tag[node] === TEXT) {
      length += tree.value[node].trim().length;
      isInked ||= INK.test(tree.value[node]);
    } else if ((TAG_FLAGS[tree.tag[node]] & DROPPED) !== 0) return false;
    if (length > MAX_LENGTH) return false;
  }
  return isInked;
}
