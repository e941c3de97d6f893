/**
 * Tells from one page after the other whether a template has stopped fitting its site: a cumulative sum of
 * log-likelihood ratios (Page, "Continuous inspection schemes", 1954) between a site that is well and one
 * that has changed. It forgets the past at zero, so that a long good run does not hide a change.
 */

/** Share of pages on which a template fails while the site is well, and after it has changed. */
const WELL = 0.05;
const CHANGED = 0.5;

const FAILURE = Math.log(CHANGED / WELL);
const SUCCESS = Math.log((1 - CHANGED) / (1 - WELL));

/** Reached by two failures in a row, or by three among a few good pages; by chance once in thousands of pages. */
const LIMIT = 2 * FAILURE - 0.01;

/** The sum after one more page. */
export function stepDrift(drift: number, failed: boolean): number {
  return Math.max(0, drift + (failed ? FAILURE : SUCCESS));
}

export function isDrifted(drift: number): boolean {
  return drift >= LIMIT;
}
