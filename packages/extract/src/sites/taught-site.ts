import { readRows } from './read-rows.ts';

/** What the marks of one page by a person say. */
export interface MarkedPage {
  readonly version: 1;
  /** By class path of marked blocks: its hash, and the share of these blocks that are content. */
  readonly paths: readonly (readonly [path: number, kept: number])[];
}

/** A marked page, with the shape of its address. */
export interface TaughtPage {
  readonly shape: string;
  readonly marks: MarkedPage;
}

/** What a person taught about a site. */
export interface TaughtSite {
  /** By class path: its hash, the mean share of content, and the number of marked pages that have it. */
  readonly paths: readonly (readonly [path: number, kept: number, pages: number])[];
}

const MOST_PAGES = 50;
/** Of class paths; those on most pages count. */
export const MOST_TAUGHT_PATHS = 1_500;

/**
 * Gathers the marks of different pages of one site. A single page says nothing: it may be an exception. A class path counts
 * if all pages that have it mark it in the same way, and if these are two, or one beside another page of its shape. Marks
 * come from a store: rows of another form are left out.
 */
export function gatherTaught(pages: readonly TaughtPage[]): TaughtSite {
  const used = pages
    .filter(({ marks }: { marks: Partial<MarkedPage> | null }) => marks?.version === 1)
    .slice(-MOST_PAGES);
  const ofShape = Map.groupBy(used, ({ shape }) => shape);
  const shares = new Map<number, { all: number[]; counts: boolean }>();
  for (const { shape, marks } of used) {
    const counts = (ofShape.get(shape)?.length ?? 0) > 1;
    for (const [path, kept] of readRows(marks.paths, 2, MOST_TAUGHT_PATHS)) {
      const known = shares.get(path);
      if (known === undefined) shares.set(path, { all: [kept], counts });
      else known.all.push(kept);
    }
  }
  return {
    paths: [...shares]
      .filter(([, { all, counts }]) => (counts || all.length > 1) && agree(all))
      .toSorted(([, a], [, b]) => b.all.length - a.all.length)
      .slice(0, MOST_TAUGHT_PATHS)
      .map(([path, { all }]) => [path, round(all.reduce((sum, kept) => sum + kept, 0) / all.length), all.length]),
  };
}

function agree(shares: readonly number[]): boolean {
  return new Set(shares.map((kept) => kept >= 0.5)).size === 1;
}

function round(share: number): number {
  return Math.round(share * 1000) / 1000;
}
