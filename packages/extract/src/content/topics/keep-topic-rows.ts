import type { Tree } from '../../tree/tree.ts';
import type { Blocks } from '../blocks/blocks.ts';
import { findTopicRows, MIN_PROSE_WORDS, PART, type TopicPage } from './find-topic-rows.ts';

/** Excerpts of topics are shorter than most posts. */
const MAX_EXCERPT_WORDS = 80;
/** Maximum expected words outside the rows, per word of the rows. */
const MAX_OTHER_TEXT = 1.5;
const TITLE = 0.95;
const DESCRIPTION = 0.6;

/**
 * On an index of topics or boards, raises the probability of titles and descriptions, and sets counts, last posters,
 * column headers and text after the rows to 0: the training pages have too few indexes.
 *
 * @returns whether the page is an index
 */
export function keepTopicRows(
  tree: Tree,
  blocks: Blocks,
  page: TopicPage,
  probabilities: Float32Array,
  words: Float64Array,
  isJunk: (block: number) => boolean,
): boolean {
  const parts = findTopicRows(tree, blocks, page);
  if (parts === undefined || !areMost(parts, probabilities, words)) return false;
  for (let block = 0; block < blocks.count; block++) {
    const part = parts[block];
    const least = part === PART.title ? TITLE : part === PART.description ? DESCRIPTION : 0;
    if (part === PART.other || part === PART.around) probabilities[block] = 0;
    else if (probabilities[block] < least && words[block] > 0 && !isJunk(block)) probabilities[block] = least;
  }
  return true;
}

/** Whether the rows are the page's content: a topic with rows of related topics has more text in its posts. */
function areMost(parts: Uint8Array, probabilities: Float32Array, words: Float64Array): boolean {
  let inRows = 0;
  let others = 0;
  for (let block = 0; block < parts.length; block++) {
    const part = parts[block];
    const isOfRow = part === PART.title || part === PART.description;
    const mayBePost = part !== PART.title && words[block] >= (isOfRow ? MAX_EXCERPT_WORDS : MIN_PROSE_WORDS);
    if (isOfRow) inRows += words[block];
    if (part === PART.none || mayBePost) others += words[block] * probabilities[block];
  }
  return others <= MAX_OTHER_TEXT * inRows;
}
