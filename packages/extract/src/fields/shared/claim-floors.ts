import type { PageType } from '../../types/extraction.ts';
import type { PageFacts } from '../../page/page-facts.ts';

/**
 * Log-odds that an author or day needs on a page of genre 0, by page type.
 *
 * Fitted by logistic regression on labelled pages with out-of-fold types; a claim needs a chance of about one in four.
 */
export interface ClaimFloor {
  readonly byType: Readonly<Record<PageType, number>>;
  /** Subtracted for each point of genre. */
  readonly slope: number;
  /** The same for an unknown type. */
  readonly untyped: { readonly base: number; readonly slope: number };
}

export const AUTHOR_FLOOR: ClaimFloor = {
  byType: {
    article: -2.2,
    forum: -2.2,
    documentation: 0.5,
    service: 1.3,
    collection: 3.5,
    product: 3.9,
    listing: 4.2,
  },
  slope: 0.6,
  untyped: { base: -1.4, slope: 0.5 },
};

export const DATE_FLOOR: ClaimFloor = {
  byType: {
    article: -2.9,
    forum: -5.5,
    documentation: 1,
    service: 4.7,
    collection: 7.5,
    product: 7.5,
    listing: 6.4,
  },
  slope: 1.5,
  untyped: { base: -1.2, slope: 0.7 },
};

/** Returns the support (0-1) below which the field stays empty. */
export function chooseFloor({ byType, slope, untyped }: ClaimFloor, { pageType, genre }: PageFacts): number {
  const odds = pageType === undefined ? untyped.base - untyped.slope * genre : byType[pageType] - slope * genre;
  return 1 / (1 + Math.exp(-odds));
}
