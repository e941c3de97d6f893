import { TAG } from '../tree/tags.ts';
import { HOLDER, LINKS, PRICES, STRIDE, sumUp, TOKENS, type Blocks } from './blocks/blocks.ts';
import type { Scopes } from './blocks/scopes.ts';

const LEAST_CARDS = 4;
/** Blocks of a card: a choice of sizes has one block for each. */
const LEAST_BLOCKS = 2;
const MAX_BLOCKS = 24;
const MAX_WORDS = 40;

/**
 * Marks the cards of other goods on the page of a product: like elements side by side with links and prices, after the
 * product's own title and price; undefined without any.
 */
export function findOtherGoods({ rows, count }: Blocks, scopes: Scopes): Uint8Array | undefined {
  const { parent, from, to, element, signature } = scopes;
  const title = findTitle();
  if (title < 0) return undefined;
  const prices = sumUp(count, (block) => (rows[block * STRIDE + PRICES] > 0 ? 1 : 0));
  const links = sumUp(count, (block) => (rows[block * STRIDE + LINKS] > 0 ? 1 : 0));
  const words = sumUp(count, (block) => rows[block * STRIDE + TOKENS]);
  const groups = new Map<number, { readonly cards: number[]; goods: number }>();
  for (let scope = 1; scope < scopes.count; scope++) {
    const size = to[scope] - from[scope];
    if (from[scope] <= title || size < LEAST_BLOCKS || size > MAX_BLOCKS || element[scope] < 0) continue;
    if (sum(words, scope) > MAX_WORDS) continue;
    const key = Math.imul(parent[scope], FACTOR) ^ signature[scope];
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { cards: [], goods: 0 }));
    group.cards.push(scope);
    if (sum(prices, scope) > 0 && sum(links, scope) > 0) group.goods++;
  }
  let marks: Uint8Array | undefined;
  for (const { cards, goods } of groups.values()) {
    if (goods < LEAST_CARDS || prices[from[cards[0]]] === prices[title]) continue;
    marks ??= new Uint8Array(count);
    for (const card of cards) marks.fill(1, from[card], to[card]);
  }
  return marks;

  function findTitle(): number {
    for (let block = 0; block < count; block++) if (rows[block * STRIDE + HOLDER] === TAG.h1) return block;
    return -1;
  }

  function sum(sums: Float64Array, scope: number): number {
    return sums[to[scope]] - sums[from[scope]];
  }
}

/** An odd number that spreads the numbers of parents over keys. */
const FACTOR = 0x9e3779b1;
