import type { PageScore } from './score-page.ts';

/** Means over a group of pages; null if no page of the group has a label for the field. */
export interface Summary {
  readonly type: string;
  readonly pages: number;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly title: number | null;
  readonly author: number | null;
  readonly date: number | null;
  readonly noAuthor: number | null;
  readonly noDate: number | null;
  /** Snippets found, over all snippets of the group. */
  readonly with: number | null;
  readonly without: number | null;
  readonly msPerPage: number;
  readonly errors: number;
}

/** Order of the types in the tables of the README; others follow by name. */
const TYPE_ORDER = ['article', 'documentation', 'service', 'forum', 'listing', 'collection', 'product'];

/** Returns a summary for each page type, then one for all pages. */
export function summarizeScores(scores: readonly PageScore[]): Summary[] {
  const byType = Map.groupBy(scores, (score) => score.pageType);
  const types = [...byType.keys()].toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return [...types.map((type) => summarizeGroup(type, byType.get(type) ?? [])), summarizeGroup('all', scores)];
}

function rank(type: string): number {
  const index = TYPE_ORDER.indexOf(type);
  return index === -1 ? TYPE_ORDER.length : index;
}

function summarizeGroup(type: string, scores: readonly PageScore[]): Summary {
  return {
    type,
    pages: scores.length,
    f1: mean(scores, (score) => score.f1),
    precision: mean(scores, (score) => score.precision),
    recall: mean(scores, (score) => score.recall),
    title: share(scores, (score) => score.title),
    author: share(scores, (score) => score.author),
    date: share(scores, (score) => score.date),
    noAuthor: share(scores, (score) => score.noAuthor),
    noDate: share(scores, (score) => score.noDate),
    with: ratio(
      sum(scores, (score) => score.withFound),
      sum(scores, (score) => score.withTotal),
    ),
    without: ratio(
      sum(scores, (score) => score.withoutFound),
      sum(scores, (score) => score.withoutTotal),
    ),
    msPerPage: mean(scores, (score) => score.milliseconds),
    errors: scores.filter((score) => score.error !== undefined).length,
  };
}

function sum(scores: readonly PageScore[], value: (score: PageScore) => number): number {
  return scores.reduce((total, score) => total + value(score), 0);
}

function mean(scores: readonly PageScore[], value: (score: PageScore) => number): number {
  return scores.length === 0 ? 0 : sum(scores, value) / scores.length;
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function share(scores: readonly PageScore[], value: (score: PageScore) => boolean | undefined): number | null {
  const known = scores.map(value).filter((held) => held !== undefined);
  return ratio(known.filter(Boolean).length, known.length);
}
