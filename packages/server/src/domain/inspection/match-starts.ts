/** Shorter matches may be chance. */
export const GRAM_LENGTH = 40;

/** Bounds the work on repetitive texts. */
const MAX_TRIES = 8;

/** Karp and Rabin, 1987, modulo 2^32. */
const BASE = 0x01000193;

/**
 * Returns the longest match in `other` from each start, at least {@link GRAM_LENGTH}. Prefers continuing the previous
 * match.
 * @param starts ascending
 */
export function matchStarts(text: string, starts: readonly number[], other: string): ReadonlyMap<number, number> {
  const places = findPlaces(text, starts, other);
  const lengths = new Map<number, number>();
  let [end, otherEnd] = [0, 0];
  for (const start of starts) {
    // The rest of the previous match is too short.
    if (end - start < GRAM_LENGTH) {
      const tried = nearest(places.get(start) ?? [], otherEnd);
      for (const place of tried) {
        const length = countEqual(text, start, other, place);
        if (length < GRAM_LENGTH || start + length <= end) continue;
        [end, otherEnd] = [start + length, place + length];
      }
    }
    if (end - start >= GRAM_LENGTH) lengths.set(start, end - start);
  }
  return lengths;
}

/** Returns candidates after `from`, then from the beginning. */
function nearest(places: readonly number[], from: number): number[] {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  const after = places.slice(low, low + MAX_TRIES);
  return [...after, ...places.slice(0, Math.min(low, MAX_TRIES - after.length))];
}

function countEqual(a: string, fromA: number, b: string, fromB: number): number {
  const most = Math.min(a.length - fromA, b.length - fromB);
  let length = 0;
  while (length < most && a.charCodeAt(fromA + length) === b.charCodeAt(fromB + length)) length += 1;
  return length;
}

function findPlaces(text: string, starts: readonly number[], other: string): Map<number, readonly number[]> {
  const byHash = new Map<number, number[]>();
  const byStart = new Map<number, readonly number[]>();
  const wanted = new Set(starts);
  rollHashes(text, (hash, at) => {
    if (!wanted.has(at)) return;
    const places = byHash.get(hash) ?? [];
    byHash.set(hash, places);
    byStart.set(at, places);
  });
  rollHashes(other, (hash, at) => void byHash.get(hash)?.push(at));
  return byStart;
}

function rollHashes(text: string, onHash: (hash: number, at: number) => void): void {
  let leaving = 1;
  for (let power = 0; power < GRAM_LENGTH; power += 1) leaving = Math.imul(leaving, BASE);
  let hash = 0;
  for (let next = 0; next < text.length; next += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(next)) | 0;
    if (next >= GRAM_LENGTH) hash = (hash - Math.imul(leaving, text.charCodeAt(next - GRAM_LENGTH))) | 0;
    if (next >= GRAM_LENGTH - 1) onHash(hash, next - GRAM_LENGTH + 1);
  }
}
