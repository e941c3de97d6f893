/** Weights of the second stage, a logistic regression: written by `training/train.sh`, never by hand. */
export const EVIDENCE_WEIGHTS: EvidenceWeights = {
  bias: -0.5,
  own: 0.68,
  kept: 1.6,
  sharedShort: -1.5,
  sharedLong: -3.26,
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
