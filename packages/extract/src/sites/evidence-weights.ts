/** Weights of the second stage, a logistic regression: written by `training/train.py held-out`. */
export const EVIDENCE_WEIGHTS: EvidenceWeights = {
  bias: -0.76,
  own: 0.56,
  kept: 1.92,
  sharedShort: -1.59,
  sharedLong: -3.68,
};

export interface EvidenceWeights {
  readonly bias: number;
  /** Of the page's own log-odds. */
  readonly own: number;
  /** Of the share of the class path's blocks that other pages keep. */
  readonly kept: number;
  /** Of the share of other pages with the same text, for headings and short texts, and for others. */
  readonly sharedShort: number;
  readonly sharedLong: number;
}
