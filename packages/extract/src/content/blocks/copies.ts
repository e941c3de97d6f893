import { TAG } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { CODE_WORDS, ELEMENT, HASH, STRIDE, TOKENS, WORDS, type Blocks } from './blocks.ts';
import type { Scopes } from './scopes.ts';

/** Labels, units and table cells repeat by chance. */
const LEAST_TOKENS = 8;
const MAX_WRAPPERS = 6;
const MAX_LEVELS = 32;

const PART = { none: 0, cell: 1, item: 2 } as const;

/**
 * Sets the probability of all but the most probable of equal blocks to 0: pages repeat texts for narrow screens, as
 * teasers or quotes. Repeats within one element, code, and facts shared by rows, items or cards are kept.
 *
 * @param least blocks up to this probability are skipped
 */
export function dropCopies(
  tree: Tree,
  blocks: Blocks,
  scopes: Scopes,
  probabilities: Float32Array,
  least: number,
): void {
  const { rows, count } = blocks;
  const best = new Map<number, number>();
  for (let b = 0; b < count; b++) {
    if (probabilities[b] <= least || !isTelling(blocks, b)) continue;
    const hash = rows[b * STRIDE + HASH];
    const other = best.get(hash);
    if (other === undefined || probabilities[other] < probabilities[b]) best.set(hash, b);
  }
  for (let b = 0; b < count; b++) {
    if (probabilities[b] <= least || !isTelling(blocks, b)) continue;
    const kept = best.get(rows[b * STRIDE + HASH])!;
    if (b !== kept && isCopy(tree, blocks, scopes, b, kept)) probabilities[b] = 0;
  }
}

function isCopy(tree: Tree, blocks: Blocks, scopes: Scopes, one: number, other: number): boolean {
  if (scopes.parent[scopes.leaf[one]] === scopes.parent[scopes.leaf[other]]) return false;
  const part = findPart(tree, blocks, one);
  if (part === PART.cell) return false;
  if (haveSameText(blocks, one - 1, other - 1) || haveSameText(blocks, one + 1, other + 1)) return true;
  return part === PART.none && !areInCards(tree, scopes, one, other);
}

function haveSameText({ rows, count }: Blocks, one: number, other: number): boolean {
  if (Math.min(one, other) < 0 || Math.max(one, other) >= count) return false;
  return rows[one * STRIDE + HASH] === rows[other * STRIDE + HASH];
}

/** Finds the kind of the cell or list item with only this block. */
export function findPart({ tag, parent, end }: Tree, { rows, before }: Blocks, block: number): number {
  let node = rows[block * STRIDE + ELEMENT];
  for (let step = 0; step < MAX_WRAPPERS && node > 0; step++) {
    if (before[node] !== block || before[end[node]] !== block + 1) break;
    const code = tag[node];
    if (code === TAG.td || code === TAG.th || code === TAG.dd || code === TAG.dt) return PART.cell;
    if (code === TAG.li) return PART.item;
    node = parent[node];
  }
  return PART.none;
}

function areInCards(tree: Tree, scopes: Scopes, one: number, other: number): boolean {
  const { parent, depth, from, to, signature } = scopes;
  let [a, b] = [scopes.leaf[one], scopes.leaf[other]];
  for (let level = 0; level < MAX_LEVELS && parent[a] !== parent[b]; level++) {
    const [above, below] = [depth[a], depth[b]];
    if (above >= below) a = parent[a];
    if (below >= above) b = parent[b];
  }
  const isMore = to[a] - from[a] > 1 || to[b] - from[b] > 1;
  return isMore && parent[a] === parent[b] && signature[a] === signature[b] && hasKind(tree, scopes, a);
}

/** Whether an element names its kind: a `<div>` without a class may contain anything. */
export function hasKind(tree: Tree, { element }: Scopes, scope: number): boolean {
  const node = element[scope];
  return node >= 0 && (tree.tag[node] !== TAG.div || getAttribute(tree, node, 'class') !== undefined);
}

export function isTelling({ rows }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  return rows[row + TOKENS] >= LEAST_TOKENS && rows[row + CODE_WORDS] * 2 <= rows[row + WORDS];
}
