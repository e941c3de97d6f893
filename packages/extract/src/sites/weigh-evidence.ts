import { HOLDER, STRIDE, TOKENS, type Blocks } from '../content/blocks/blocks.ts';
import type { JudgedPage } from '../content/select-content.ts';
import { HEADING, TAG_FLAGS } from '../tree/tags.ts';
import { hashClassPaths } from './class-paths.ts';
import { EVIDENCE_WEIGHTS } from './evidence-weights.ts';
import { hashText } from './page-notes.ts';
import { indexEvidence, type EvidenceIndex, type SiteEvidence } from './site-evidence.ts';

/** Shared texts with fewer words are labels between texts that change. */
const SHORT = 8;
const SURE = 9;
/** A longer text is left out if at least so many other pages, and this share of them, have it. */
const LEAST_SHARING = 3;
const LEAST_SHARE = 0.6;
/** A page with a larger part of its words in such texts has copies among the others, which say nothing about it. */
const MOST_SHARED = 0.95;

/**
 * Judges the blocks of a page with the evidence of its site: the mean of the page's own log-odds and those of the second
 * stage. Blocks whose class path is on no other page keep their own. Undefined if there is no evidence.
 */
export function weighEvidence(page: JudgedPage, evidence: SiteEvidence): Float32Array | undefined {
  const known = indexEvidence(evidence);
  if (known === undefined) return undefined;
  const { tree, blocks, probabilities, words } = page;
  const { bias, own, kept, sharedShort, sharedLong } = EVIDENCE_WEIGHTS;
  const shared = findShared(page, known);
  const paths = hashClassPaths(tree, blocks);
  return probabilities.map((probability, block) => {
    const isShort = isShortText(blocks, block);
    if (!isShort && shared[block] >= LEAST_SHARE && shared[block] * known.pages >= LEAST_SHARING) words[block] = 0;
    const share = known.kept.get(paths[block]);
    if (share === undefined || probability === 0) return probability;
    const alone = toLogOdds(probability);
    const second = bias + own * alone + kept * share + (isShort ? sharedShort : sharedLong) * shared[block];
    return 1 / (1 + Math.exp(-(alone + second) / 2));
  });
}

/** Shares of the other pages that have the text of each block. */
function findShared({ blocks, words }: JudgedPage, { texts }: EvidenceIndex): Float64Array {
  const shared = new Float64Array(blocks.count);
  let all = 0;
  let known = 0;
  for (let block = 0; block < blocks.count; block++) {
    shared[block] = texts.get(hashText(blocks.rows, block)) ?? 0;
    all += words[block];
    if (shared[block] >= LEAST_SHARE) known += words[block];
  }
  return known > MOST_SHARED * all ? shared.fill(0) : shared;
}

function isShortText({ rows }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  return rows[row + TOKENS] < SHORT || (TAG_FLAGS[rows[row + HOLDER]] & HEADING) !== 0;
}

function toLogOdds(probability: number): number {
  return Math.min(SURE, Math.max(-SURE, Math.log(probability / (1 - probability))));
}
