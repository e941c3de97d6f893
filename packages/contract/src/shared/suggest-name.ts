/** Finds what the writer of an unknown name probably meant. */

/** Shorter names are near to too many others. */
const MIN_LENGTH = 3;
const MAX_EDITS = 2;

/**
 * Returns the most similar of the known names: one with the same words in another spelling (`fullPage`), one that has
 * all words of the name (`timeout` of `timeout_ms`), or one that differs in few characters. The earlier wins a draw.
 */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((other) => ({ other, distance: distanceOf(name, other) }))
    .filter(({ distance }) => distance < Infinity)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.other;
}

function distanceOf(name: string, other: string): number {
  const [given, wanted] = [wordsOf(name), wordsOf(other)];
  const [a, b] = [given.join(''), wanted.join('')];
  if (a === b) return 0;
  if (a.length < MIN_LENGTH) return Infinity;
  if (given.every((word) => wanted.includes(word))) return 1;
  const edits = editDistance(a, b);
  return edits <= Math.min(MAX_EDITS, a.length / MIN_LENGTH) ? 1 + edits : Infinity;
}

/** `includeSteps` and `include_steps` have the words `include` and `steps`. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[_-]/)
    .filter((word) => word !== '');
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
