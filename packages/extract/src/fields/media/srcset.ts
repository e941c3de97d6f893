/** A candidate of a `srcset`: its address, and its width in pixels or 1,000 times its density. */
export interface SourceCandidate {
  readonly url: string;
  readonly size: number;
}

const MAX_LENGTH = 20_000;
const MAX_CANDIDATES = 50;
const DESCRIPTOR = /^(\d+(?:\.\d+)?)([wx])$/;

/**
 * Parses a `srcset` attribute as in the HTML standard: a comma inside an address belongs to it, one at its end does not.
 * Skips data addresses.
 */
export function parseSrcset(srcset: string): SourceCandidate[] {
  const candidates: SourceCandidate[] = [];
  if (srcset.length > MAX_LENGTH) return candidates;
  let pending: string | null = null;
  for (const word of srcset.split(/\s+/)) {
    if (word === '' || word === ',') {
      if (word === ',') flush(1);
    } else if (pending === null) startUrl(word);
    else {
      const match = DESCRIPTOR.exec(word.replace(/,[^]*/, ''));
      flush(match === null ? 1 : match[2] === 'w' ? Number(match[1]) : Number(match[1]) * DENSITY_WIDTH);
      const rest = word.indexOf(',');
      if (rest >= 0 && rest < word.length - 1) startUrl(word.slice(rest + 1));
    }
    if (candidates.length >= MAX_CANDIDATES) break;
  }
  flush(1);
  return candidates;

  function startUrl(word: string): void {
    const url = word.replace(/^,+/, '');
    pending = url.replace(/(?<!,),+$/, '');
    if (pending === '') pending = null;
    else if (url.endsWith(',')) flush(1);
  }

  function flush(size: number): void {
    if (pending !== null && !pending.startsWith('data:')) candidates.push({ url: pending, size });
    pending = null;
  }
}

/** Densities and widths never mix in one attribute; this only ranks 2x above a plain candidate. */
const DENSITY_WIDTH = 1_000;

/** Address of the largest accepted candidate (first of equals), or null. */
export function pickLargest(
  candidates: readonly SourceCandidate[],
  accepts: (url: string) => boolean = () => true,
): string | null {
  return candidates.toSorted((a, b) => b.size - a.size).find(({ url }) => accepts(url))?.url ?? null;
}
