import type { JudgedPage } from '../content/select-content.ts';
import { hashClassPaths } from './class-paths.ts';
import { readRows } from './read-rows.ts';
import { MOST_TAUGHT_PATHS, type TaughtSite } from './taught-site.ts';

/** Weight of the marks against the page itself, for class paths that one page has and that several have. */
const WEIGHT_OF_ONE = 0.6;
const WEIGHT_OF_SEVERAL = 0.7;
/** Keeps the log-odds of unanimous marks finite. */
const DOUBT = 0.03;
const SURE = 6;

export interface TaughtJudgement {
  readonly probabilities: Float32Array;
  /** Whether the page has text where the marked pages have content. */
  readonly isFound: boolean;
}

/**
 * Judges the blocks of a page with the marks of other pages: a weighted mean of log-odds. Blocks whose class path has no marks
 * keep their probability, and so do blocks that are junk, copies or hidden.
 *
 * @param probabilities default: the page's own
 */
export function weighTaught(
  { tree, blocks, probabilities: own }: JudgedPage,
  taught: TaughtSite,
  probabilities: Float32Array = own,
): TaughtJudgement {
  const known = new Map<number, readonly number[]>();
  for (const row of readRows(taught.paths, 3, MOST_TAUGHT_PATHS)) known.set(row[0], row);
  const paths = hashClassPaths(tree, blocks);
  let isFound = false;
  const judged = probabilities.map((probability, block) => {
    const row = known.get(paths[block]);
    if (row === undefined || probability === 0) return probability;
    const share = Math.min(1, Math.max(0, row[1]));
    isFound ||= share >= 0.5;
    const weight = row[2] > 1 ? WEIGHT_OF_SEVERAL : WEIGHT_OF_ONE;
    const marked = Math.log((share + DOUBT) / (1 - share + DOUBT));
    const alone = Math.min(SURE, Math.max(-SURE, Math.log(probability / (1 - probability))));
    return 1 / (1 + Math.exp(-(weight * marked + (1 - weight) * alone)));
  });
  return { probabilities: judged, isFound };
}
