import type { ContentBlock } from '../types/extraction.ts';
import { TAG, TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

const INK = /\S/;
/** Highlighters use few wrappers; higher up, the text before belongs to another section. */
const MAX_WRAPPERS = 4;
const MAX_STEPS = 60;

/** Adds the `<pre>` elements that follow a block in its section: the model often excludes short code. */
export function keepCode(tree: Tree, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const kept: ContentBlock[] = [];
  for (const [index, block] of blocks.entries()) {
    kept.push(block);
    const next = blocks[index + 1]?.first ?? tree.size;
    for (let last = block; last.end < next;) {
      const code = findFollowingCode(tree, last);
      if (code < 0 || tree.end[code] > next) break;
      last = { first: code + 1, end: tree.end[code], element: code };
      kept.push(last);
    }
  }
  return kept.length === blocks.length ? blocks : kept;
}

/** The `<pre>` with the next text after a block in the same section, or -1. */
function findFollowingCode(tree: Tree, block: ContentBlock): number {
  const stop = Math.min(tree.size, block.end + MAX_STEPS);
  let code = -1;
  for (let node = block.end; node < stop; node++) {
    if (tree.hidden[node]) node = tree.end[node] - 1;
    else if (tree.tag[node] === TAG.pre) code = node;
    else if (tree.tag[node] === TEXT && INK.test(tree.value[node]))
      return code >= 0 && node < tree.end[code] && isInSectionOf(tree, code, block) ? code : -1;
  }
  return -1;
}

function isInSectionOf(tree: Tree, node: number, block: ContentBlock): boolean {
  let section = tree.parent[node];
  for (let step = 0; step < MAX_WRAPPERS && section > block.first; step++) section = tree.parent[section];
  return section < block.first;
}
