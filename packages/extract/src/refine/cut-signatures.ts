import type { ContentBlock } from '../types/extraction.ts';
import { TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

/** The line that forum software writes between a post and the signature of its author. */
const LINE = /^\s*_{8,}\s*$/;

/** Characters of a signature: a post may part its chapters by such lines. */
const MAX_SIGNATURE = 300;

/** Leaves out what follows the last such line up to the end of its element. */
export function cutSignatures(tree: Tree, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  let end = 0;
  const kept: ContentBlock[] = [];
  for (const block of blocks) {
    if (block.first < end) continue;
    const line = findLine(tree, block);
    if (line >= 0) end = tree.end[tree.parent[line]];
    if (line < 0) kept.push(block);
    else if (line > block.first) kept.push({ ...block, end: line });
  }
  return end === 0 ? blocks : kept;
}

function findLine(tree: Tree, { first, end }: ContentBlock): number {
  for (let node = first; node < end; node++)
    if (tree.tag[node] === TEXT && LINE.test(tree.value[node]) && opensSignature(tree, node)) return node;
  return -1;
}

function opensSignature({ tag, value, parent, end }: Tree, line: number): boolean {
  let length = 0;
  for (let node = line + 1; node < end[parent[line]]; node++) {
    if (tag[node] !== TEXT) continue;
    length += value[node].trim().length;
    if (LINE.test(value[node]) || length > MAX_SIGNATURE) return false;
  }
  return true;
}
