/**
 * Detects drift with a cumulative sum of log-likelihood ratios (Page, "Continuous inspection schemes", 1954). It never
 * falls below zero, so that a long good run does not hide a change.
 */

/** Probability on an unchanged and on a changed site. */
const SHARES = {
  failed: [0.05, 0.5],
  served: [0.95, 0.5],
  // The generic extractor errs more often.
  disagreed: [0.15, 0.9],
  agreed: [0.85, 0.1],
} as const;

export type Observation = keyof typeof SHARES;

/** Two consecutive failures, three consecutive disagreements, or slightly more among good pages. */
const LIMIT = 2 * weigh('failed') - 0.01;

function weigh(observation: Observation): number {
  const [well, changed] = SHARES[observation];
  return Math.log(changed / well);
}

export function stepDrift(drift: number, observation: Observation): number {
  return Math.max(0, drift + weigh(observation));
}

export function isDrifted(drift: number): boolean {
  return drift >= LIMIT;
}
