/** One reading of a field, with where it comes from and how far that source is trusted. */
export interface Candidate {
  /** Where it stands, readable: `json-ld:NewsArticle.headline`, `meta:og:title`, `time[datetime]`. */
  readonly source: string;
  readonly value: string;
  /** Probability that this source is right, 0-1, as measured on pages with known fields. */
  readonly weight: number;
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
 * their weights combine as independent probabilities do, 1 - Π(1 - w). Below the floor nothing is claimed.
 */
export function pickBest(
  candidates: readonly Candidate[],
  refused: readonly Refused[],
  options: { floor: number; keyOf: (value: string) => string },
): Evidence {
  const groups = new Map<string, { first: Candidate; doubt: number; sources: Set<string> }>();
  for (const candidate of candidates) {
    const key = options.keyOf(candidate.value);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { first: candidate, doubt: 1 - candidate.weight, sources: new Set([candidate.source]) });
    } else {
      if (!group.sources.has(candidate.source)) group.doubt *= 1 - candidate.weight;
      group.sources.add(candidate.source);
      if (candidate.weight > group.first.weight) group.first = candidate;
    }
  }
  const ranked = [...groups.values()].toSorted((a, b) => a.doubt - b.doubt);
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
