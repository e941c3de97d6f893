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

/**
 * Added to the genre of an article that shows the value. Old pages lack what genre counts: metadata, elements for times,
 * telling addresses. From .8 to 2 the claims on undated pages hardly change; from 1.3 the dated ones neither.
 */
const SHOWN_POINTS = 1.3;

/**
 * Returns the support (0-1) below which the field stays empty. `isShown`: the page shows the value at a telling place.
 */
export function chooseFloor(
  { byType, slope, untyped }: ClaimFloor,
  { pageType, genre, isFrontPage }: PageFacts,
  isShown = false,
): number {
  const isArticle = (pageType === 'article' || pageType === undefined) && !isFrontPage;
  const points = isShown && isArticle ? genre + SHOWN_POINTS : genre;
  const odds = pageType === undefined ? untyped.base - untyped.slope * points : byType[pageType] - slope * points;
  return 1 / (1 + Math.exp(-odds));
}
