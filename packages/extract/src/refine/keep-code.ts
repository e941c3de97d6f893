import type { ContentBlock } from '../types/extraction.ts';
import { isDisplayed } from '../tree/text/formulas.ts';
import { BLOCK, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

const INK = /\S/;
/** Highlighters use few wrappers; higher up, the text before belongs to another section. */
const MAX_WRAPPERS = 4;
const MAX_STEPS = 60;

/**
 * Adds the `<pre>` elements that follow a block in its section, because the model often excludes short code, and the
 * indents before the first words of lines.
 */
export function keepCode(tree: Tree, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const kept: ContentBlock[] = [];
  for (const [index, block] of blocks.entries()) {
    kept.push(takeIndent(tree, block));
    const next = blocks[index + 1]?.first ?? tree.size;
    for (let last = block; last.end < next;) {
      const code = findFollowingCode(tree, last);
      if (code < 0 || tree.end[code] > next) break;
      last = { first: code + 1, end: tree.end[code], element: code };
      kept.push(last);
    }
  }
  return kept;
}

/** Starts a line of code with the white space in its element: a block starts with its first word. */
function takeIndent({ tag, parent, value }: Tree, block: ContentBlock): ContentBlock {
  let line = parent[block.first];
  for (let step = 0; step < MAX_WRAPPERS && (TAG_FLAGS[tag[line]] & BLOCK) === 0; step++) line = parent[line];
  if (tag[line] !== TAG.pre && tag[parent[line]] !== TAG.pre) return block;
  let first = block.first;
  for (let node = first - 1; node > line && (tag[node] !== TEXT || !INK.test(value[node])); node--)
    if (tag[node] === TEXT) first = node;
  return first === block.first ? block : { ...block, first };
}

/** The `<pre>` with the next text after a block in the same section, or -1. */
function findFollowingCode(tree: Tree, block: ContentBlock): number {
  const stop = Math.min(tree.size, block.end + MAX_STEPS);
  let code = -1;
  for (let node = block.end; node < stop; node++) {
    if (tree.hidden[node]) node = tree.end[node] - 1;
    else if (tree.tag[node] === TAG.pre || (tree.tag[node] === TAG.math && isDisplayed(tree, node))) code = node;
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
