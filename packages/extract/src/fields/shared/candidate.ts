/** One reading of a field, with where it comes from and how far that source is trusted. */
export interface Candidate {
  /** Where it stands, readable: `json-ld:NewsArticle.headline`, `meta:og:title`, `time[datetime]`. */
  readonly source: string;
  readonly value: string;
  /** Probability that this source is right, 0-1, as measured on pages with known fields. */
  readonly weight: number;
  /** Sources that repeat one statement (a class and the `time` inside it) count once; by default the source's prefix. */
  readonly family?: string;
  /** Element or text where it stands, if it stands on the page. */
  readonly node?: number;
}

/** A candidate that did not win, and why. */
export interface Rival {
  readonly source: string;
  readonly value: string;
  readonly reason: string;
}

/** How a field was decided. */
export interface Evidence {
  /** The winning source, or null when the field is null. */
  readonly source: string | null;
  readonly value: string | null;
  readonly rivals: readonly Rival[];
}

/** A candidate that a rule refused. */
export interface Refused {
  readonly source: string;
  readonly value: string;
  readonly reason: string;
}

const MAX_RIVALS = 12;

/**
 * Picks the value with the best support. Candidates of the same value (by `keyOf`) support each other:
 * the best weights of their families combine as independent probabilities do, 1 - Π(1 - w). Below the floor
 * nothing is claimed.
 */
export function pickBest(
  candidates: readonly Candidate[],
  refused: readonly Refused[],
  options: { floor: number; keyOf: (value: string) => string },
): Evidence {
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
    const family = candidate.family ?? candidate.source.split(':', 1)[0]!;
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
