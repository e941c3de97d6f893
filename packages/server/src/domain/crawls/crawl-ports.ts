import { PAGE_CHANGES, type BatchState, type PageChange } from '@winnow/contract';
import type { StageBudget } from '../shared/ports.ts';

/** What a crawl adds to a batch: settings in its options, and pages that it finds. */

export const SKIP_REASONS = ['robots', 'scope', 'depth', 'limit', 'duplicate', 'trap', 'unread'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];
export type Skipped = Readonly<Record<SkipReason, number>>;

export interface CrawlSettings {
  /** Where it starts; the final address as soon as the start page was read. */
  readonly url: string;
  /** Pages. */
  readonly limit: number;
  readonly maxDepth: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly scope: CrawlScope;
  readonly sitemap: 'include' | 'only' | 'skip';
  /** From the end of a page to the start of the next one. Default 0: pages are read at the same time. */
  readonly delayMs?: number | undefined;
  /** Id of the earlier crawl that pages are compared with. */
  readonly since?: string | undefined;
}

export type CrawlScope = 'site' | 'host' | 'path';

/** How many pages of a crawl may have the same shape of address. */
export interface ShapeBound {
  readonly key: string;
  readonly most: number;
}

export interface FoundPage {
  readonly url: string;
  /** Equal for addresses of the same page. */
  readonly key: string;
  readonly shapes: readonly ShapeBound[];
  /** Why the page is left out if it is new. */
  readonly leftOut?: SkipReason;
}

/** What one page adds to its crawl. */
export interface Findings {
  /** Keys of the page: requested, then final and canonical. */
  readonly keys: readonly string[];
  /** Depth of the pages found. */
  readonly depth: number;
  readonly pages: readonly FoundPage[];
  readonly skipped: Skipped;
  /** Final address of the start page. */
  readonly site?: string | undefined;
  /** What robots.txt asks for. */
  readonly delayMs?: number | undefined;
  /** Of the page itself. */
  readonly change?: PageChange | undefined;
}

/** Pages by what became of them since the earlier crawl. */
export type ChangeCounts = Readonly<Record<PageChange, number>>;

export interface EarlierCrawls {
  find(
    projectId: string,
    id: string,
  ): Promise<{ readonly state: BatchState; readonly options: { readonly crawl?: object | undefined } } | undefined>;
  /** Addresses of the pages with a result. */
  listDone(id: string): Promise<string[]>;
  /** Result line of the page with the first known key. */
  findLine(id: string, keys: readonly string[]): Promise<string | undefined>;
}

export interface TextDiffer {
  /** @throws {AppError} as an extractor */
  diff(before: string, after: string, budget: StageBudget): Promise<TextDiff>;
}

export interface TextDiff {
  /** Unified; absent if the texts have too little in common. */
  readonly diff?: string;
  readonly diff_cut?: true;
}

export function noChanges(): Record<PageChange, number> {
  const counts = Object.fromEntries(PAGE_CHANGES.map((change) => [change, 0]));
  return counts as Record<PageChange, number>;
}

export function noneSkipped(): Record<SkipReason, number> {
  return { robots: 0, scope: 0, depth: 0, limit: 0, duplicate: 0, trap: 0, unread: 0 };
}
