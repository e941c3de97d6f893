import type { PageNotes } from './page-notes.ts';

/** What several pages of a site show together. */
export interface SiteEvidence {
  readonly version: 1;
  readonly pages: number;
  /** Texts on two pages or more: their hash and the number of pages. */
  readonly texts: readonly (readonly [text: number, pages: number])[];
  /** By class path: its hash, pages, blocks, and the means over pages of the probability and the kept share. */
  readonly paths: readonly SitePath[];
}

export type SitePath = readonly [path: number, pages: number, blocks: number, probability: number, kept: number];

const LEAST_PAGES = 2;
/** More pages cost more and add little; the last ones show the site as it is. */
const MOST_PAGES = 20;
const MOST_TEXTS = 2_000;
const MOST_PATHS = 2_000;

/**
 * Gathers the notes of different pages of one host.
 *
 * @param notes in order of arrival; the last 20 count
 * @returns undefined for fewer than two pages
 */
export function gatherEvidence(notes: readonly PageNotes[]): SiteEvidence | undefined {
  const used = notes.slice(-MOST_PAGES);
  if (used.length < LEAST_PAGES) return undefined;
  const texts = new Map<number, number>();
  const paths = new Map<number, { pages: number; blocks: number; probability: number; kept: number }>();
  for (const page of used) {
    for (const text of new Set(page.texts)) texts.set(text, (texts.get(text) ?? 0) + 1);
    for (const [path, blocks, probability, kept] of page.paths) {
      const sums = paths.get(path) ?? { pages: 0, blocks: 0, probability: 0, kept: 0 };
      paths.set(path, {
        pages: sums.pages + 1,
        blocks: sums.blocks + blocks,
        probability: sums.probability + probability,
        kept: sums.kept + kept,
      });
    }
  }
  return {
    version: 1,
    pages: used.length,
    texts: [...texts]
      .filter(([, pages]) => pages >= LEAST_PAGES)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MOST_TEXTS),
    paths: [...paths]
      .toSorted(([, a], [, b]) => b.pages - a.pages)
      .slice(0, MOST_PATHS)
      .map(([path, { pages, blocks, probability, kept }]) => [
        path,
        pages,
        blocks,
        round(probability / pages),
        round(kept / pages),
      ]),
  };
}

function round(share: number): number {
  return Math.round(share * 1000) / 1000;
}
