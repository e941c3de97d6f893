import type { PageType } from '../../types/extraction.ts';
import type { PageFacts } from '../../page/page-facts.ts';

/**
 * Log-odds that the support of an author or a day must have on a page of genre 0 before it is claimed, by page type.
 * The less a page looks like a signed or dated text, the better the field must be founded.
 *
 * Fitted by logistic regression (right or wrong, by support, genre and type) on pages with known fields, with types that
 * the model gave without having seen the page; a claim needs a chance of about one in four.
 */
export interface ClaimFloor {
  readonly byType: Readonly<Record<PageType, number>>;
  /** What each point of the genre's log-odds takes off. */
  readonly slope: number;
  /** The same where the type is unknown. */
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

/** The support (0-1) below which nothing is claimed on a page. */
export function chooseFloor({ byType, slope, untyped }: ClaimFloor, { pageType, genre }: PageFacts): number {
  const odds = pageType === undefined ? untyped.base - untyped.slope * genre : byType[pageType] - slope * genre;
  return 1 / (1 + Math.exp(-odds));
}
