/** A possible value of a field with its source and weight. */
export interface Candidate {
  /** Readable source: `json-ld:NewsArticle.headline`, `meta:og:title`, `time[datetime]`. */
  readonly source: string;
  readonly value: string;
  /** Probability that this source is right, 0-1, measured on labelled pages. */
  readonly weight: number;
  /** Sources of one family repeat one statement and count once; default: the source's prefix. */
  readonly family?: string;
  readonly node?: number;
}

/** Family of visible sources: elements, classes and text often repeat one statement. */
export const PAGE = 'page';

export interface Rival {
  readonly source: string;
  readonly value: string;
  readonly reason: string;
}

export interface FieldChoice {
  readonly source: string | null;
  readonly value: string | null;
  readonly rivals: readonly Rival[];
}

export interface Refused {
  readonly source: string;
  readonly value: string;
  readonly reason: string;
}

const MAX_RIVALS = 12;

/**
 * Picks the value with the most support. The best weights of the families of one value (by `keyOf`) combine as
 * independent probabilities: 1 - Π(1 - w). Returns nothing below the floor.
 */
export function pickBest(
  candidates: readonly Candidate[],
  refused: readonly Refused[],
  options: { floor: number; keyOf: (value: string) => string },
): FieldChoice {
  const ranked = groupByValue(candidates, options.keyOf).toSorted((a, b) => a.doubt - b.doubt);
  const best = ranked[0];
  const wins = best !== undefined && 1 - best.doubt >= options.floor;
  const rivals = ranked.slice(wins ? 1 : 0, MAX_RIVALS).map((group) => ({
    source: group.first.source,
    value: group.first.value,
    reason: `trusted ${(1 - group.doubt).toFixed(2)}, ${wins ? `the winner ${(1 - best.doubt).toFixed(2)}` : `the floor is ${options.floor}`}`,
  }));
  return {
    source: wins ? best.first.source : null,
    value: wins ? best.first.value : null,
    rivals: [...rivals, ...refused.slice(0, MAX_RIVALS)],
  };
}

interface Group {
  first: Candidate;
  doubt: number;
}

function groupByValue(candidates: readonly Candidate[], keyOf: (value: string) => string): Group[] {
  const groups = new Map<string, { first: Candidate; weights: Map<string, number> }>();
  for (const candidate of candidates) {
    const key = keyOf(candidate.value);
    const family = candidate.family ?? candidate.source.split(':', 1)[0];
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { first: candidate, weights: new Map([[family, candidate.weight]]) });
      continue;
    }
    group.weights.set(family, Math.max(group.weights.get(family) ?? 0, candidate.weight));
    if (candidate.weight > group.first.weight) group.first = candidate;
  }
  return Array.from(groups.values(), ({ first, weights }) => {
    let doubt = 1;
    for (const weight of weights.values()) doubt *= 1 - weight;
    return { first, doubt };
  });
}
