/** What one page shows of its site. Of the page alone: evidence does not change it. */
export interface PageNotes {
  readonly version: 1;
  /** Hashes of the texts of its blocks, each once. */
  readonly texts: readonly number[];
  /** By class path: its hash, the number of blocks, their mean probability, and the share that the page alone keeps. */
  readonly paths: readonly PathNote[];
}

export type PathNote = readonly [path: number, blocks: number, probability: number, kept: number];
