/** Which blocks of a page a person would mark as content, given its true text. */

const WORD = /[\p{L}\p{N}_]+/gu;
const GRAM = 3;
const MOST_PLACES = 40;
/** Share of a block's words in the true text. */
const LEAST_SHARE = 0.5;
/** Shorter blocks count only next to another placed block, in page and truth. */
const SHORT = 4;
const NEAR_BLOCKS = 8;
const NEAR_WORDS = 2;

interface Place {
  readonly block: number;
  readonly start: number;
  readonly end: number;
  readonly words: number;
}

/** Aligns the blocks with the truth in order: the chain of placements that covers most words, as `training/labels.py`. */
export function labelBlocks(texts: readonly string[], truth: string): boolean[] {
  const blocks = texts.map(toWords);
  const chain = findChain(blocks, toWords(truth));
  const labels = texts.map(() => false);
  for (const [index, place] of chain.entries()) {
    const { length } = blocks[place.block]!;
    const isNear = length >= SHORT || touches(chain[index - 1], place) || touches(place, chain[index + 1]);
    labels[place.block] = isNear && place.words >= LEAST_SHARE * length;
  }
  return labels;
}

function toWords(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function touches(one: Place | undefined, next: Place | undefined): boolean {
  if (one === undefined || next === undefined) return false;
  return next.start - one.end <= NEAR_WORDS && next.block - one.block <= NEAR_BLOCKS;
}

function findChain(blocks: readonly string[][], truth: readonly string[]): Place[] {
  const places = indexGrams(truth);
  const best: { place: Place; total: number; before: number }[] = [];
  // Fenwick tree of the best chain that ends at or before a word of the truth.
  const tree = new Int32Array(truth.length + 2).fill(-1);
  for (const [block, words] of blocks.entries()) {
    const found = findPlaces(words, places).map(([at, matched]) => {
      const place = { block, start: Math.max(0, at), end: Math.min(truth.length, at + words.length), words: matched };
      const before = query(place.start);
      return { place, total: (best[before]?.total ?? 0) + matched - 0.2, before };
    });
    for (const item of found) update(item.place.end, best.push(item) - 1);
  }
  const chain: Place[] = [];
  for (let at = query(truth.length); at >= 0; at = best[at]!.before) chain.push(best[at]!.place);
  return chain.toReversed();

  function query(word: number): number {
    let found = -1;
    for (let at = word + 1; at > 0; at -= at & -at)
      if ((best[tree[at]!]?.total ?? 0) > (best[found]?.total ?? 0)) found = tree[at]!;
    return found;
  }

  function update(word: number, item: number): void {
    for (let at = word + 1; at < tree.length; at += at & -at)
      if (best[item]!.total > (best[tree[at]!]?.total ?? 0)) tree[at] = item;
  }
}

function indexGrams(truth: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let size = 1; size <= GRAM; size++) {
    for (let at = 0; at + size <= truth.length; at++) {
      const gram = truth.slice(at, at + size).join(' ');
      const known = places.get(gram);
      if (known === undefined) places.set(gram, [at]);
      else if (known.length < MOST_PLACES) known.push(at);
    }
  }
  return places;
}

/** Possible places of a block, with the number of words that match there. */
function findPlaces(words: readonly string[], places: ReadonlyMap<string, number[]>): [number, number][] {
  const { length } = words;
  if (length < GRAM) return (places.get(words.join(' ')) ?? []).map((at) => [at, length]);
  const votes = new Map<number, number>();
  for (let k = 0; k + GRAM <= length; k++) {
    for (const at of places.get(words.slice(k, k + GRAM).join(' ')) ?? [])
      votes.set(at - k, (votes.get(at - k) ?? 0) + 1);
  }
  const needed = Math.min(8, 0.5 * (length - GRAM + 1));
  return [...votes]
    .filter(([, count]) => count >= needed)
    .map(([at, count]) => [at, Math.min(length, count + GRAM - 1)]);
}
