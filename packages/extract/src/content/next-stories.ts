import { readHeadingLink } from '../page/other-entries.ts';
import { HEADING, TAG, TAG_FLAGS } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';
import { ELEMENT, STRIDE, TOKENS, type Blocks } from './blocks/blocks.ts';

/** Words of the first article of a page that shows further ones after it. */
const LEAST_FIRST = 60;
/** Nodes before the heading of an article, such as its image. */
const MAX_BEFORE_HEADING = 40;
const OTHER_PAGE = /^(?:https?:\/\/|\/|\.{0,2}\/|[\w-]+[/.?])/i;

/**
 * Marks, block by block, further `<article>`s after that of the page whose headings link to their own pages, as pages do
 * that go on with the next story; undefined if there is none.
 */
export function findNextStories(tree: Tree, blocks: Blocks): Uint8Array | undefined {
  const { tag, end } = tree;
  const first = tag.indexOf(TAG.article);
  if (first < 0 || tag.indexOf(TAG.article, end[first]) < 0) return undefined;
  const stories: number[] = [];
  let main = -1;
  for (let node = first; node >= 0; node = tag.indexOf(TAG.article, end[node])) {
    if (main < 0) {
      if (countWords(blocks, node, end[node]) >= LEAST_FIRST && linkOfHeading(tree, node) === undefined) main = node;
    } else if (OTHER_PAGE.test(linkOfHeading(tree, node) ?? '')) stories.push(node);
  }
  if (stories.length === 0) return undefined;
  const marks = new Uint8Array(blocks.count);
  let at = 0;
  for (let block = 0; block < blocks.count; block++) {
    const element = blocks.rows[block * STRIDE + ELEMENT];
    while (at < stories.length && end[stories[at]] <= element) at++;
    if (at < stories.length && element >= stories[at]) marks[block] = 1;
  }
  return marks;
}

function countWords({ rows, count }: Blocks, from: number, to: number): number {
  let words = 0;
  for (let row = 0; row < count * STRIDE; row += STRIDE)
    if (rows[row + ELEMENT] >= from && rows[row + ELEMENT] < to) words += rows[row + TOKENS];
  return words;
}

/** The address that the first heading of an article links to. */
function linkOfHeading(tree: Tree, article: number): string | undefined {
  const stop = Math.min(tree.end[article], article + MAX_BEFORE_HEADING);
  let heading = article + 1;
  while (heading < stop && (TAG_FLAGS[tree.tag[heading]] & HEADING) === 0) heading++;
  return heading < stop ? readHeadingLink(tree, heading) : undefined;
}
