import { CODE_WORDS, HASH, STRIDE, TOKENS, WORDS, type Blocks } from './blocks.ts';
import type { Scopes } from './scopes.ts';

/** Shorter texts repeat by chance: labels, units, table cells. */
const LEAST_TOKENS = 8;

/**
 * Leaves one of the blocks that say the same, the most probable one, and sets the probability of the others to 0:
 * pages repeat a text for narrow screens, as a teaser, in a quote, or in an unfolded copy. Repeats within one element
 * (a refrain, a row) are what the author wrote and stay, and so does code.
 *
 * @param least blocks of at most this probability are passed over
 */
export function dropCopies(blocks: Blocks, scopes: Scopes, probabilities: Float32Array, least: number): void {
  const { rows, count } = blocks;
  const best = new Map<number, number>();
  for (let b = 0; b < count; b++) {
    if (probabilities[b]! <= least || !isTelling(blocks, b)) continue;
    const hash = rows[b * STRIDE + HASH]!;
    const other = best.get(hash);
    if (other === undefined || probabilities[other]! < probabilities[b]!) best.set(hash, b);
  }
  for (let b = 0; b < count; b++) {
    if (probabilities[b]! <= least || !isTelling(blocks, b)) continue;
    const kept = best.get(rows[b * STRIDE + HASH]!)!;
    if (scopes.parent[scopes.leaf[b]!] !== scopes.parent[scopes.leaf[kept]!]) probabilities[b] = 0;
  }
}

/** Whether a block is long enough to be a copy, and no code. */
export function isTelling({ rows }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  return rows[row + TOKENS]! >= LEAST_TOKENS && rows[row + CODE_WORDS]! * 2 <= rows[row + WORDS]!;
}
