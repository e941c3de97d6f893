import { decodeBase64 } from '../words/decode-base64.ts';
import { HashTable } from '../words/hash-table.ts';
import { STRIDE, TOKENS, WORDS_KEPT, type Blocks } from './blocks.ts';

/** Learned log-odds of blocks' first words and their pairs by hash, see `training/`. */
export type WordLexicon = HashTable<number>;

export const NO_WORDS: WordLexicon = new HashTable(new Map());

/** Base64 of little-endian int32 hashes, and of their weights in 32nds, one byte each. */
export interface PackedWords {
  readonly hashes: string;
  readonly weights: string;
}

const STEPS = 32;

export function unpackWords(packed: PackedWords): WordLexicon {
  const hashes = new Int32Array(decodeBase64(packed.hashes).buffer);
  const weights = new Int8Array(decodeBase64(packed.weights).buffer);
  const lexicon = new Map<number, number>();
  for (let i = 0; i < hashes.length; i++) lexicon.set(hashes[i], weights[i] / STEPS);
  return new HashTable(lexicon);
}

/** Sum of the weights of a block's first words and pairs. */
export function weighWords(lexicon: WordLexicon, { rows, firstWords }: Blocks, block: number): number {
  const count = Math.min(WORDS_KEPT, rows[block * STRIDE + TOKENS]);
  const start = block * WORDS_KEPT;
  let sum = lexicon.get(joinPair(START, firstWords[start])) ?? 0;
  for (let k = 0; k < count; k++) {
    const word = firstWords[start + k];
    sum += lexicon.get(word) ?? 0;
    if (k > 0) sum += lexicon.get(joinPair(firstWords[start + k - 1], word)) ?? 0;
  }
  return sum;
}

/** Pair partner of a block's first word. */
export const START = 1;
const FACTOR = 1_000_003;

export function joinPair(first: number, second: number): number {
  return (Math.imul(first, FACTOR) ^ second) | 0;
}
