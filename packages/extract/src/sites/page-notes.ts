import { HASH, STRIDE } from '../content/blocks/blocks.ts';
import { isHiddenBlock } from '../content/junk-rules.ts';
import type { JudgedPage } from '../content/select-content.ts';
import { hashClassPaths } from './class-paths.ts';

/** What one page shows of its site. Of the page alone: evidence does not change it. */
export interface PageNotes {
  readonly version: 1;
  /** Hashes of the texts of its blocks, each once. */
  readonly texts: readonly number[];
  /** By class path: its hash, and the share of its blocks that the page alone keeps. */
  readonly paths: readonly (readonly [path: number, kept: number])[];
}

/** Later blocks and paths of a page are not noted: they are rows of lists. */
const MOST_BLOCKS = 1_500;
const MOST_PATHS = 500;

/** Takes the notes of a page: at most 1,500 texts and 500 paths. */
export function takeNotes(page: JudgedPage): PageNotes {
  const { tree, blocks, kept } = page;
  const paths = hashClassPaths(tree, blocks);
  const isKept = new Uint8Array(blocks.count);
  for (const block of kept) isKept[block] = 1;
  const texts = new Set<number>();
  const byPath = new Map<number, { blocks: number; kept: number }>();
  let count = 0;
  for (let block = 0; block < blocks.count && count < MOST_BLOCKS; block++) {
    if (isHiddenBlock(tree, blocks, block)) continue;
    count++;
    texts.add(hashText(blocks.rows, block));
    let sums = byPath.get(paths[block]);
    if (sums === undefined) {
      if (byPath.size === MOST_PATHS) continue;
      byPath.set(paths[block], (sums = { blocks: 0, kept: 0 }));
    }
    sums.blocks++;
    sums.kept += isKept[block];
  }
  return {
    version: 1,
    texts: [...texts],
    paths: Array.from(byPath, ([path, sums]) => [path, round(sums.kept / sums.blocks)]),
  };
}

export function hashText(rows: Int32Array, block: number): number {
  return rows[block * STRIDE + HASH] >>> 0;
}

function round(share: number): number {
  return Math.round(share * 1000) / 1000;
}
