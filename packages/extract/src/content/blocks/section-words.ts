import { HEADING, TAG, TAG_FLAGS } from '../../tree/tags.ts';
import { HOLDER, STRIDE, TOKENS, WORDS_KEPT, type Blocks } from './blocks.ts';
import { addInto } from '../words/element-names.ts';
import type { HashTable } from '../words/hash-table.ts';
import type { Lexicon } from '../words/lexicon.ts';

const LABEL_WORDS = 4;
/** A heading counts for sections that begin at most this many blocks before it. */
const LEAD = 1;

export function isLabelBlock(blocks: Blocks, block: number): boolean {
  return blocks.rows[block * STRIDE + TOKENS] <= LABEL_WORDS;
}

/** The heading of the blocks `from … to - 1`; -1 for none or the page's title. */
export function findLead(blocks: Blocks, from: number, to: number): number {
  for (let block = from; block <= from + LEAD && block < to - 1; block++) {
    const row = block * STRIDE;
    const holder = blocks.rows[row + HOLDER];
    if ((TAG_FLAGS[holder] & HEADING) === 0) continue;
    return holder !== TAG.h1 && blocks.rows[row + TOKENS] <= WORDS_KEPT ? block : -1;
  }
  return -1;
}

/** Adds the word weights of a scope's label or leading heading to its sums. */
export function addWordWeights(
  lexicon: Lexicon,
  blocks: Blocks,
  from: number,
  to: number,
  isLeaf: boolean,
  sums: Float32Array,
  offset: number,
): void {
  if (isLeaf) {
    if (isLabelBlock(blocks, from)) addWords(lexicon.labels, blocks, from, sums, offset);
    return;
  }
  const lead = findLead(blocks, from, to);
  if (lead >= 0) addWords(lexicon.headings, blocks, lead, sums, offset);
}

function addWords(
  weights: HashTable<Float32Array>,
  blocks: Blocks,
  block: number,
  sums: Float32Array,
  offset: number,
): void {
  const count = Math.min(WORDS_KEPT, blocks.rows[block * STRIDE + TOKENS]);
  for (let k = 0; k < count; k++) {
    addInto(weights.get(blocks.firstWords[block * WORDS_KEPT + k]), sums, offset);
  }
}
