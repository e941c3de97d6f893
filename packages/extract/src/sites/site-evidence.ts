import type { PageNotes } from './page-notes.ts';
import { readRows } from './read-rows.ts';

/** What several pages of a site show together. */
export interface SiteEvidence {
  readonly version: 1;
  /** Number of pages. */
  readonly pages: number;
  /** Their hash and number of pages. */
  readonly texts: readonly (readonly [text: number, pages: number])[];
  /** By class path: its hash, and the mean share of its blocks that its pages keep. */
  readonly paths: readonly (readonly [path: number, kept: number])[];
}

const LEAST_PAGES = 2;
/** More pages cost more and add little; the last ones show the site as it is. */
const MOST_PAGES = 20;
/** Of texts and of paths; those on most pages count. */
const MOST_ROWS = 1_500;

/**
 * Gathers the notes of different pages of one host. Notes come from a store: whatever is none is left out.
 *
 * @param notes in order of arrival; the last 20 count
 * @returns undefined for fewer than two pages: evidence works from the third page on
 */
export function gatherEvidence(notes: readonly PageNotes[]): SiteEvidence | undefined {
  const used = notes.filter((page: Partial<PageNotes> | null) => page?.version === 1).slice(-MOST_PAGES);
  if (used.length < LEAST_PAGES) return undefined;
  const texts = new Map<number, number>();
  const paths = new Map<number, { pages: number; kept: number }>();
  for (const page of used) {
    const own = Array.isArray(page.texts) ? page.texts.slice(0, MOST_ROWS).filter(Number.isFinite) : [];
    for (const text of new Set(own)) texts.set(text, (texts.get(text) ?? 0) + 1);
    for (const [path, kept] of readRows(page.paths, 2, MOST_ROWS)) {
      const before = paths.get(path) ?? { pages: 0, kept: 0 };
      paths.set(path, { pages: before.pages + 1, kept: before.kept + kept });
    }
  }
  return {
    version: 1,
    pages: used.length,
    texts: [...texts].toSorted(([, a], [, b]) => b - a).slice(0, MOST_ROWS),
    paths: [...paths]
      .toSorted(([, a], [, b]) => b.pages - a.pages)
      .slice(0, MOST_ROWS)
      .map(([path, { pages, kept }]) => [path, Math.round((1000 * kept) / pages) / 1000]),
  };
}

/** Evidence for the look-ups of an extraction. */
export interface EvidenceIndex {
  readonly pages: number;
  /** Share of the other pages with a text, by its hash. */
  readonly texts: ReadonlyMap<number, number>;
  /** Kept share by class path. */
  readonly kept: ReadonlyMap<number, number>;
}

/** Reads stored evidence: rows of another form are left out. Undefined if the whole is no evidence. */
export function indexEvidence(evidence: Partial<SiteEvidence> | null): EvidenceIndex | undefined {
  const pages = evidence?.version === 1 ? Number(evidence.pages) : 0;
  if (!(pages >= LEAST_PAGES)) return undefined;
  const texts = new Map<number, number>();
  for (const [text, count] of readRows(evidence?.texts, 2, MOST_ROWS)) texts.set(text, toShare(count / pages));
  const kept = new Map<number, number>();
  for (const [path, share] of readRows(evidence?.paths, 2, MOST_ROWS)) kept.set(path, toShare(share));
  return { pages, texts, kept };
}

function toShare(value: number): number {
  return Math.min(1, Math.max(0, value));
}
