import { TAG } from '../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree/tree.ts';
import { locateBlock, STRIDE, TOKENS, type Blocks } from './blocks/blocks.ts';

/** A footnote's number or sign, with or without brackets. */
const MARK = /^[[(]?(?:\p{N}{1,3}|\p{L}|[*†‡§¶]{1,3})[\])]?$/u;
const MAX_MARK_NODES = 8;
/** A note is short, and a page has few of them. */
const MAX_NOTE_BLOCKS = 4;
const MAX_NOTES = 1_000;

/** Lists the blocks of notes to which marks in kept blocks link. */
export function listNotes(tree: Tree, blocks: Blocks, isKept: Uint8Array): number[] {
  const targets = listTargets(tree, blocks, isKept);
  const notes: number[] = [];
  if (targets.size === 0) return notes;
  for (let node = 1; node < tree.size && notes.length < MAX_NOTES; node++) {
    if (tree.attributes[node] === undefined) continue;
    const name = getAttribute(tree, node, 'id') ?? getAttribute(tree, node, 'name');
    if (name === undefined || !targets.delete(name)) continue;
    const first = blocks.before[node];
    // A mark alone is followed by its note.
    let last = Math.max(first + 1, blocks.before[tree.end[node]]);
    if (last === first + 1 && first < blocks.count && blocks.rows[first * STRIDE + TOKENS] <= 1) last++;
    if (last - first > MAX_NOTE_BLOCKS || last > blocks.count) continue;
    for (let block = first; block < last; block++) if (isKept[block] === 0) notes.push(block);
  }
  return notes;
}

function listTargets(tree: Tree, blocks: Blocks, isKept: Uint8Array): Set<string> {
  const targets = new Set<string>();
  for (let block = 0; block < blocks.count && targets.size < MAX_NOTES; block++) {
    if (isKept[block] === 0) continue;
    const { first, end } = locateBlock(blocks, block);
    for (let node = first; node < end; node++) {
      if (tree.tag[node] !== TAG.a || tree.end[node] - node > MAX_MARK_NODES) continue;
      const target = getAttribute(tree, node, 'href');
      if (target?.startsWith('#') === true && MARK.test(getTextContent(tree, node).trim()))
        targets.add(target.slice(1));
    }
  }
  return targets;
}
