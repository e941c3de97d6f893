/**
 * Tells from one page after the other whether a template has stopped fitting its site: a cumulative sum of
 * log-likelihood ratios (Page, "Continuous inspection schemes", 1954) between a site that is well and one
 * that has changed. It forgets the past at zero, so that a long good run does not hide a change.
 */

/** What one page shows: the share of pages that show it on a site that is well, and on one that has changed. */
const SHARES = {
  failed: [0.05, 0.5],
  served: [0.95, 0.5],
  // The generic extractor is wrong more often than a template that has been proved.
  disagreed: [0.15, 0.9],
  agreed: [0.85, 0.1],
} as const;

export type Observation = keyof typeof SHARES;

/** Reached by two failures in a row, by three pages in a row on which the generic extractor disagrees, or by a few more among good pages. */
const LIMIT = 2 * weigh('failed') - 0.01;

function weigh(observation: Observation): number {
  const [well, changed] = SHARES[observation];
  return Math.log(changed / well);
}

/** The sum after one more page. */
export function stepDrift(drift: number, observation: Observation): number {
  return Math.max(0, drift + weigh(observation));
}

export function isDrifted(drift: number): boolean {
  return drift >= LIMIT;
}
