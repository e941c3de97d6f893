const WORD = /[\p{L}\p{N}_]+/gu;

/** Returns the F1 of two texts as multisets of words. */
export function compareTexts(text: string, other: string): number {
  const words = text.toLowerCase().match(WORD) ?? [];
  const others = other.toLowerCase().match(WORD) ?? [];
  const counts = new Map<string, number>();
  for (const word of others) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of words) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared++;
  }
  return shared === 0 ? 0 : (2 * shared) / (words.length + others.length);
}
