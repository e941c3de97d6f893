import { FAMILY_BITS, hashWord, WORD_FAMILIES } from '../../content/words/word-families.ts';
import { BLOCK, HEADING, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import { findBlock, type TextBlock } from '../application/content-blocks.ts';
import type { SamplePage } from './sample-page.ts';

export interface Labels {
  readonly page: SamplePage;
  /** 1 keep, 0 exclude. */
  readonly keep: Float64Array;
  /** Words; 0 if the label does not matter. */
  readonly weight: Float64Array;
  /** 1 for a repeated text that is not content on this page. */
  readonly isNoise: Uint8Array;
  readonly total: number;
}

/** A text on this share of the pages belongs to the site. */
const REPEATED_SHARE = 0.6;

/** Labels blocks with the generic extractor's choice, except repeated texts outside changing content. */
export function labelPages(pages: readonly SamplePage[]): Labels[] {
  const repeated = findRepeatedTexts(pages);
  return pages.map((page) => labelPage(page, repeated));
}

function labelPage(page: SamplePage, repeated: RepeatedTexts): Labels {
  const count = page.blocks.length;
  const keep = new Float64Array(count);
  const weight = new Float64Array(count);
  const isNoise = new Uint8Array(count);
  for (const [index, block] of page.blocks.entries()) {
    const isShared = isRepeated(page, index, repeated);
    const neutral = isShared && isSharedHeading(page, index, repeated);
    weight[index] = neutral ? 0 : block.words;
    keep[index] = page.kept[index] && !isShared ? rateKept(page, index) : 0;
    isNoise[index] = isShared && !neutral ? 1 : 0;
  }
  dropRelatedLinks(page, repeated, keep);
  keepOwnTexts(page, repeated, keep, isNoise);
  const total = keep.reduce((sum, share, index) => sum + share * weight[index], 0);
  return { page, keep, weight, isNoise, total };
}

interface RepeatedTexts {
  /** `TextBlock.hash` of repeated texts → share of their pages on which the extractor keeps them. */
  readonly keptShare: ReadonlyMap<number, number>;
  /** Hashes of texts that repeat with their numbers. */
  readonly exact: ReadonlySet<number>;
}

function findRepeatedTexts(pages: readonly SamplePage[]): RepeatedTexts {
  const least = pages.length < 2 ? Infinity : Math.max(2, Math.ceil(pages.length * REPEATED_SHARE));
  const counts = countTexts(pages, (block) => block.hash);
  const exact = countTexts(pages, (block) => block.exact);
  const often = [...counts].filter(([, count]) => count.pages >= least);
  return {
    keptShare: new Map(often.map(([hash, count]) => [hash, count.kept / count.pages])),
    exact: new Set([...exact].filter(([, count]) => count.pages >= least).map(([hash]) => hash)),
  };
}

function countTexts(
  pages: readonly SamplePage[],
  toHash: (block: TextBlock) => number,
): Map<number, { pages: number; kept: number }> {
  const counts = new Map<number, { pages: number; kept: number }>();
  for (const page of pages) {
    const seen = new Set<number>();
    for (const [index, block] of page.blocks.entries()) {
      const hash = toHash(block);
      if (seen.has(hash)) continue;
      seen.add(hash);
      const count = counts.get(hash) ?? { pages: 0, kept: 0 };
      count.pages++;
      if (page.kept[index]) count.kept++;
      counts.set(hash, count);
    }
  }
  return counts;
}

/** In these elements, the numbers of a kept text matter ("3 eggs", "180 km/h"). */
const TEXT_ELEMENTS: ReadonlySet<number> = new Set([
  TAG.p,
  TAG.li,
  TAG.dt,
  TAG.dd,
  TAG.th,
  TAG.td,
  TAG.caption,
  TAG.figcaption,
  TAG.blockquote,
  TAG.pre,
]);

function isRepeated(page: SamplePage, index: number, { keptShare, exact }: RepeatedTexts): boolean {
  const block = page.blocks[index];
  if (!keptShare.has(block.hash)) return false;
  if (exact.has(block.exact) || !page.kept[index]) return true;
  // Numbers also matter in texts that are kept on most pages ("$24.00").
  if (keptShare.get(block.hash)! >= LEAST_KEPT_SHARE) return false;
  return !TEXT_ELEMENTS.has(page.tree.tag[findHolder(page, block)]);
}

function findHolder({ tree }: SamplePage, block: TextBlock): number {
  let node = block.element;
  while (node > 0 && (TAG_FLAGS[tree.tag[node]] & BLOCK) === 0) node = tree.parent[node];
  return node;
}

/** Whether a repeated heading ("Ingredients") is no link, and kept on most pages. */
function isSharedHeading(page: SamplePage, index: number, { keptShare }: RepeatedTexts): boolean {
  const block = page.blocks[index];
  if (page.linkShare[index] >= LINK_SHARE) return false;
  return (keptShare.get(block.hash) ?? 0) >= 0.9 && (TAG_FLAGS[page.tree.tag[block.element]] & HEADING) !== 0;
}

const RELATED = 1 << WORD_FAMILIES.indexOf('related');
const MAX_LEVELS = 3;

function dropRelatedLinks(page: SamplePage, { keptShare }: RepeatedTexts, keep: Float64Array): void {
  const { tree, blocks, linkShare } = page;
  for (const [index, block] of blocks.entries()) {
    if (!keptShare.has(block.hash) || block.words > 8 || !hasFamily(page, block, RELATED)) continue;
    let scope = block.element;
    for (let level = 0; level < MAX_LEVELS && scope > 0; level++, scope = tree.parent[scope]) {
      const end = findBlock(blocks, tree.end[scope]);
      const start = findBlock(blocks, scope);
      if (end - start < 3) continue;
      const others = blocks
        .slice(start, end)
        .map((_, offset) => start + offset)
        .filter((one) => one !== index);
      if (others.every((one) => linkShare[one] >= LINK_SHARE)) for (const one of others) keep[one] = 0;
      break;
    }
  }
}

function hasFamily(page: SamplePage, block: TextBlock, family: number): boolean {
  let text = '';
  for (let i = block.first; i < block.end; i++) if (page.tree.tag[i] === TEXT) text += `${page.tree.value[i]} `;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => ((FAMILY_BITS.get(hashWord(word)) ?? 0) & family) !== 0);
}

/** Above this share a short block is a listing tile or a link to another page. */
const LINK_SHARE = 0.6;
const MAX_LINK_WORDS = 25;
const KEPT_LINK = 0.5;

function rateKept(page: SamplePage, index: number): number {
  const isLink = page.linkShare[index] >= LINK_SHARE && page.blocks[index].words <= MAX_LINK_WORDS;
  return isLink ? KEPT_LINK : 1;
}

const LEAST_KEPT_SHARE = 0.6;
/** Structures whose repeated items are content like the others. */
const STRUCTURES: ReadonlySet<number> = new Set([TAG.table, TAG.ul, TAG.ol, TAG.dl]);

/**
 * Keeps list items and cells with changing neighbours, and single texts between texts of this page, such as an
 * interview's questions.
 */
function keepOwnTexts(page: SamplePage, repeated: RepeatedTexts, keep: Float64Array, isNoise: Uint8Array): void {
  const { blocks, linkShare } = page;
  const unique = sumUp(blocks, (index) => keep[index] === 1);
  const own = blocks.flatMap((block, index) => {
    if (isNoise[index] === 0 || !page.kept[index]) return [];
    if ((repeated.keptShare.get(block.hash) ?? 0) < LEAST_KEPT_SHARE) return [];
    const structure = findStructure(page, block);
    if (structure > 0 && unique.has(page, structure)) return [index];
    return linkShare[index] < LINK_SHARE && isBetween(page, block, structure, unique) ? [index] : [];
  });
  for (const index of own) {
    keep[index] = 1;
    isNoise[index] = 0;
  }
}

function findStructure({ tree }: SamplePage, block: TextBlock): number {
  let node = block.element;
  while (node > 0 && !STRUCTURES.has(tree.tag[node])) node = tree.parent[node];
  return Math.max(node, 0);
}

function isBetween(page: SamplePage, block: TextBlock, structure: number, unique: BlockSums): boolean {
  const { tree, blocks, kept, linkShare } = page;
  let box = findHolder(page, block);
  if (box <= 0) return false;
  let above = tree.parent[box];
  for (; above > 0 && !unique.has(page, above); above = tree.parent[above]) box = above;
  if (above <= 0) return false;
  const [start, end] = [findBlock(blocks, box), findBlock(blocks, tree.end[box])];
  const [first, last] = [findBlock(blocks, above), findBlock(blocks, tree.end[above])];
  if (unique.count(first, start) === 0 || unique.count(end, last) === 0) return false;
  if (end - start === 1) return true;
  for (let other = start; other < end; other++) {
    if (!kept[other] || linkShare[other] >= LINK_SHARE) return false;
    if (structure === 0 || findStructure(page, blocks[other]) !== structure) return false;
  }
  return true;
}

interface BlockSums {
  count(start: number, end: number): number;
  has(page: SamplePage, node: number): boolean;
}

function sumUp(blocks: readonly TextBlock[], isCounted: (index: number) => boolean): BlockSums {
  const sums = new Uint32Array(blocks.length + 1);
  for (let index = 0; index < blocks.length; index++) sums[index + 1] = sums[index] + (isCounted(index) ? 1 : 0);
  const count = (start: number, end: number): number => sums[end] - sums[start];
  return {
    count,
    has: ({ tree }, node) => count(findBlock(blocks, node), findBlock(blocks, tree.end[node])) > 0,
  };
}
