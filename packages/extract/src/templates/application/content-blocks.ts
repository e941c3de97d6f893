import { CHAR_CLASS, DIGIT, JOINER, PUNCTUATION, SPACE } from '../../content/words/char-classes.ts';
import { getHiddenBits, HIDDEN_DIALOG } from '../../tree/hiding/hidden.ts';
import type { ContentBlock } from '../../types/extraction.ts';
import { BLOCK, DROPPED, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import { isHiddenItself } from '../../tree/hiding/find-hidden.ts';
import type { Tree } from '../../tree/tree.ts';

export interface TextBlock extends ContentBlock {
  /** See `hashRange`. */
  readonly hash: number;
  readonly words: number;
}

/** Longer texts that differ only in numbers are records, not counters. */
const MAX_COUNTER_WORDS = 8;

function isHidden(tree: Tree, node: number): boolean {
  return isHiddenItself(tree, node) || (getHiddenBits(tree, node) & HIDDEN_DIALOG) !== 0;
}

/**
 * Collects the blocks below the given elements in document order, without duplicates, excluded elements or hidden ones
 * (unless given as root). One pass.
 *
 * @param roots in any order; nested ones add nothing
 */
export function collectBlocks(tree: Tree, roots: readonly number[], excluded: ReadonlySet<number>): TextBlock[] {
  const blocks: TextBlock[] = [];
  let done = 0;
  for (const root of roots.toSorted((a, b) => a - b)) {
    if (root < done) continue;
    done = tree.end[root];
    collectBelow(tree, root, roots, excluded, blocks);
  }
  return blocks;
}

function collectBelow(
  tree: Tree,
  root: number,
  roots: readonly number[],
  excluded: ReadonlySet<number>,
  blocks: TextBlock[],
): void {
  const { tag, end, attributes } = tree;
  const edges: number[] = [];
  let first = -1;
  let last = -1;
  let breaks = 0;
  const close = (): void => {
    if (first >= 0) addBlock(tree, first, last + 1, blocks);
    first = -1;
    breaks = 0;
  };
  for (let node = root; node < end[root]; node++) {
    while (edges.length > 0 && node >= edges.at(-1)!) {
      edges.pop();
      close();
    }
    const code = tag[node];
    if (code === TEXT) {
      if (!hasInk(tree.value[node])) continue;
      if (first < 0) first = node;
      last = node;
      breaks = 0;
      continue;
    }
    const flags = TAG_FLAGS[code];
    const mayHide = attributes[node] !== undefined || code === TAG.dialog;
    if ((mayHide && isHidden(tree, node) && !roots.includes(node)) || (excluded.size > 0 && excluded.has(node))) {
      close();
      node = end[node] - 1;
    } else if ((flags & DROPPED) !== 0) {
      if (code !== TAG.template) node = end[node] - 1;
    } else if ((flags & BLOCK) !== 0) {
      close();
      edges.push(end[node]);
    } else if (code === TAG.br && ++breaks > 1) close();
  }
  close();
}

function addBlock(tree: Tree, first: number, end: number, blocks: TextBlock[]): void {
  let element = tree.parent[first];
  while (tree.end[element] < end) element = tree.parent[element];
  const known = hashRange(tree, first, end);
  if (known.words > 0) blocks.push({ first, end, element, ...known });
}

/**
 * Hashes a run of nodes and counts its words. Ignores case, punctuation and white space; in short texts `hash` treats
 * all numbers as equal: "12 comments" and "7 Comments".
 */
function hashRange(tree: Tree, first: number, end: number): { hash: number; words: number } {
  let hash = 0;
  let exact = 0;
  let words = 0;
  let inWord = false;
  let inNumber = false;
  for (let node = first; node < end; node++) {
    const code = tree.tag[node];
    if (code !== TEXT) {
      if ((TAG_FLAGS[code] & DROPPED) !== 0) node = tree.end[node] - 1;
      continue;
    }
    const text = tree.value[node];
    for (let k = 0; k < text.length; k++) {
      const char = text.charCodeAt(k);
      const kind = CHAR_CLASS[char];
      if (kind === JOINER) continue;
      if (kind === SPACE || kind === PUNCTUATION) {
        inWord = inNumber = false;
        continue;
      }
      if (!inWord) words++;
      inWord = true;
      exact = (Math.imul(exact, 31) + (char >= 65 && char <= 90 ? char + 32 : char)) | 0;
      if (kind === DIGIT) {
        if (!inNumber) hash = (Math.imul(hash, 31) + 48) | 0;
        inNumber = true;
        continue;
      }
      inNumber = false;
      hash = (Math.imul(hash, 31) + (char >= 65 && char <= 90 ? char + 32 : char)) | 0;
    }
    // Neighbouring elements usually separate words, and a hash only has to be stable.
    inWord = inNumber = false;
  }
  return { hash: words > MAX_COUNTER_WORDS ? exact : hash, words };
}

function hasInk(text: string): boolean {
  for (let k = 0; k < text.length; k++) if (CHAR_CLASS[text.charCodeAt(k)] !== SPACE) return true;
  return false;
}
