import { FAMILY_BITS, hashWord, WORD_FAMILIES } from '../../content/word-families.ts';
import { HEADING, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import type { TemplateContent } from '../template.ts';
import { listSelectors } from './candidate-selectors.ts';
import type { SamplePage } from './sample-page.ts';
import { SelectorPool } from './selector-pool.ts';

/** Blocks of one page with what is to become of them: 1 keep, 0 leave out; a weight of 0: it does not matter. */
interface Labels {
  readonly page: SamplePage;
  readonly keep: Float64Array;
  readonly weight: Float64Array;
  readonly total: number;
}

/** Share of the pages on which a text must stand to count as the site's and not the page's. */
const REPEATED_SHARE = 0.6;
const MAX_EXCLUDES = 30;
const MAX_UNION = 4;
const MAX_ALTERNATIVES = 3;
/** A spare place that is known by a weak name is worse than none: the name may come to mean something else. */
const LEAST_SPARE_RATING = 0.4;
const MAX_TEXTS = 800;

/**
 * Learns where the main text of a site's pages stands: elements to include, elements and texts to leave out.
 * The generic extractor's choice on each page is the label; what the same place is on most pages decides.
 * Undefined when no place holds most of the content of the pages.
 */
export function induceContent(pages: readonly SamplePage[]): TemplateContent | undefined {
  const repeated = findRepeatedTexts(pages);
  const labels = pages.map((page) => labelPage(page, repeated, pages));
  if (labels.every((one) => one.total === 0)) return undefined;
  const pool = new SelectorPool(pages.map((page) => page.tree));
  for (const one of labels) offerContainers(one, pool);
  const include = chooseIncludes(labels, pool);
  const [main] = include;
  if (main === undefined) return undefined;
  const exclude = chooseExcludes(labels, findRoots(pages, main));
  return {
    include: include.map((css) => ({ css })),
    exclude: exclude.map((css) => ({ css })),
    exclude_text: listTexts(labels, repeated, findRoots(pages, include.join(', '))),
  };
}

/** Hash of each repeated text → on how many pages the generic extractor keeps it. */
function findRepeatedTexts(pages: readonly SamplePage[]): Map<number, number> {
  const counts = new Map<number, { pages: number; kept: number }>();
  for (const page of pages) {
    const seen = new Set<number>();
    for (const [index, block] of page.blocks.entries()) {
      if (seen.has(block.hash)) continue;
      seen.add(block.hash);
      const count = counts.get(block.hash) ?? { pages: 0, kept: 0 };
      count.pages++;
      if (page.kept[index] === true) count.kept++;
      counts.set(block.hash, count);
    }
  }
  const least = Math.max(2, Math.ceil(pages.length * REPEATED_SHARE));
  return new Map(
    [...counts].filter(([, count]) => count.pages >= least).map(([hash, count]) => [hash, count.kept / count.pages]),
  );
}

/** Headings that stand on every page of a kind ("Ingredients") are content when the content is around them; links are not. */
function isSharedHeading(page: SamplePage, index: number, keptShare: number): boolean {
  const block = page.blocks[index]!;
  if (page.linkShare[index]! >= LINK_SHARE) return false;
  return keptShare >= 0.9 && (TAG_FLAGS[page.tree.tag[block.element]!]! & HEADING) !== 0;
}

const RELATED = 1 << WORD_FAMILIES.indexOf('related');
/** How far around a heading its list is looked for. */
const MAX_LEVELS = 3;

/** Links under a heading that stands on every page and speaks of related pages are not the page's own, however often they change. */
function dropRelatedLinks(page: SamplePage, repeated: ReadonlyMap<number, number>, keep: Float64Array): void {
  const { tree, blocks, linkShare } = page;
  for (const [index, block] of blocks.entries()) {
    if (!repeated.has(block.hash) || block.words > 8 || !hasFamily(page, block, RELATED)) continue;
    let scope = block.element;
    for (let level = 0; level < MAX_LEVELS && scope > 0; level++, scope = tree.parent[scope]!) {
      const end = findBlock(blocks, tree.end[scope]!);
      const start = findBlock(blocks, scope);
      if (end - start < 3) continue;
      const others = blocks
        .slice(start, end)
        .map((_, offset) => start + offset)
        .filter((one) => one !== index);
      if (others.every((one) => linkShare[one]! >= LINK_SHARE)) for (const one of others) keep[one] = 0;
      break;
    }
  }
}

function hasFamily(page: SamplePage, block: { first: number; end: number }, family: number): boolean {
  let text = '';
  for (let i = block.first; i < block.end; i++) if (page.tree.tag[i] === TEXT) text += `${page.tree.value[i]} `;
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => ((FAMILY_BITS.get(hashWord(word)) ?? 0) & family) !== 0);
}

/** A short block that is a link may be a tile of a listing, or one of the links to other stories. */
const LINK_SHARE = 0.6;
const MAX_LINK_WORDS = 25;
const KEPT_LINK = 0.5;

function rateKept(page: SamplePage, index: number): number {
  const isLink = page.linkShare[index]! >= LINK_SHARE && page.blocks[index]!.words <= MAX_LINK_WORDS;
  return isLink ? KEPT_LINK : 1;
}

function labelPage(page: SamplePage, repeated: ReadonlyMap<number, number>, pages: readonly SamplePage[]): Labels {
  const count = page.blocks.length;
  const keep = new Float64Array(count);
  const weight = new Float64Array(count);
  let total = 0;
  for (const [index, block] of page.blocks.entries()) {
    const keptShare = pages.length > 1 ? repeated.get(block.hash) : undefined;
    const neutral = keptShare !== undefined && isSharedHeading(page, index, keptShare);
    weight[index] = neutral ? 0 : block.words;
    keep[index] = page.kept[index] === true && keptShare === undefined ? rateKept(page, index) : 0;
  }
  dropRelatedLinks(page, repeated, keep);
  for (let index = 0; index < count; index++) total += (weight[index] ?? 0) * (keep[index] ?? 0);
  return { page, keep, weight, total };
}

/** Least share of a page's content that an element must hold to be offered as its place. */
const LEAST_SHARE = 0.15;

function offerContainers(labels: Labels, pool: SelectorPool): void {
  const { tree, blocks } = labels.page;
  const held = new Map<number, number>();
  for (const [index, block] of blocks.entries()) {
    const weight = labels.keep[index]! * labels.weight[index]!;
    if (weight === 0) continue;
    for (let node = block.element; node > 0; node = tree.parent[node]!) held.set(node, (held.get(node) ?? 0) + weight);
  }
  for (const [node, weight] of held) {
    if (weight >= LEAST_SHARE * labels.total) pool.add(listSelectors(tree, node));
  }
}

/** Left-out text inside a place counts less than content outside it: exclusions can still take it out. */
const NOISE_WEIGHT = 0.35;

interface Choice {
  readonly css: string;
  readonly score: number;
}

/** The best place first, then others that find the same by other names. */
function chooseIncludes(labels: readonly Labels[], pool: SelectorPool): string[] {
  const choices = pool
    .list()
    .map((css) => ({ css, score: scoreInclude(labels, pool.find(css)) }))
    .filter((choice) => choice.score > 0.4)
    .toSorted((a, b) => b.score - a.score || a.css.localeCompare(b.css))
    .slice(0, 60)
    .map(({ css, score }) => ({ css, score: score * (0.75 + 0.25 * pool.rate(css)), plain: score }))
    .toSorted((a, b) => b.score - a.score || a.css.localeCompare(b.css));
  const [best] = choices;
  if (best === undefined) return [];
  const union = extendUnion(labels, pool, choices);
  const others: Choice[] =
    union === best.css
      ? choices.filter(
          (one) =>
            one.css !== best.css &&
            one.plain >= best.plain - 0.02 &&
            pool.rate(one.css) >= LEAST_SPARE_RATING &&
            finds(pool, one.css, best.css),
        )
      : [];
  return [union, ...others.slice(0, MAX_ALTERNATIVES - 1).map((one) => one.css)];
}

/** Whether two selectors find the same elements on every page. */
function finds(pool: SelectorPool, css: string, other: string): boolean {
  const [a, b] = [pool.find(css), pool.find(other)];
  return a.every((nodes, page) => nodes.length === b[page]!.length && nodes.every((node, i) => node === b[page]![i]));
}

/** Content in several places: adds places as long as each brings a good part of what is missing. */
function extendUnion(labels: readonly Labels[], pool: SelectorPool, choices: readonly Choice[]): string {
  let { css } = choices[0]!;
  let found = pool.find(css);
  let score = scoreInclude(labels, found);
  const all = pool.list();
  for (let round = 1; round < MAX_UNION && score < 0.97; round++) {
    let best: { css: string; found: readonly (readonly number[])[]; score: number } | undefined;
    for (const one of all) {
      if (pool.rate(one) < 0.3) continue;
      const more = pool.find(one).map((nodes, page) => [...new Set([...nodes, ...found[page]!])]);
      const reached = scoreInclude(labels, more);
      if (reached > (best?.score ?? score + 0.03)) best = { css: one, found: more, score: reached };
    }
    if (best === undefined) break;
    css = `${css}, ${best.css}`;
    ({ found, score } = best);
  }
  return css;
}

/** Mean over the pages of an F measure between the places' text and the content. */
function scoreInclude(labels: readonly Labels[], found: readonly (readonly number[])[]): number {
  let sum = 0;
  let pages = 0;
  for (const [index, one] of labels.entries()) {
    if (one.total === 0) continue;
    pages++;
    const nodes = found[index]!;
    if (nodes.length === 0) continue;
    const inside = markInside(one, nodes);
    let kept = 0;
    let noise = 0;
    for (let b = 0; b < inside.length; b++) {
      if (inside[b] === 0) continue;
      kept += one.keep[b]! * one.weight[b]!;
      noise += (1 - one.keep[b]!) * one.weight[b]!;
    }
    sum += (2 * kept) / (kept + one.total + NOISE_WEIGHT * noise);
  }
  return pages === 0 ? 0 : sum / pages;
}

/** 1 for each block of the page that stands in one of the elements, and is not hidden there by one below it. */
function markInside(labels: Labels, nodes: readonly number[]): Uint8Array {
  const { blocks, hiddenBy, tree } = labels.page;
  const inside = new Uint8Array(blocks.length);
  for (const node of nodes) {
    for (let b = findBlock(blocks, node); b < blocks.length && blocks[b]!.first < tree.end[node]!; b++) {
      if (hiddenBy[b]! <= node) inside[b] = 1;
    }
  }
  return inside;
}

/** First block that begins at or after a node. */
function findBlock(blocks: readonly { first: number }[], node: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.first < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findRoots(pages: readonly SamplePage[], css: string): readonly (readonly number[])[] {
  const pool = new SelectorPool(pages.map((page) => page.tree));
  pool.add([{ css, rating: 1 }]);
  return pool.find(css);
}

/** How much worse it is to lose content than to leave noise in. */
const LOSS = 2;

/** Elements inside the places that hold what is not content, on most pages. */
function chooseExcludes(labels: readonly Labels[], roots: readonly (readonly number[])[]): string[] {
  const pool = new SelectorPool(labels.map((one) => one.page.tree));
  const open = labels.map((one, page) => markInside(one, roots[page]!));
  for (const [page, one] of labels.entries()) offerNoise(one, open[page]!, new Set(roots[page]), pool);
  const chosen: string[] = [];
  const candidates = pool.list().filter((css) => gain(css) > 0 && pool.rate(css) >= 0.15);
  while (chosen.length < MAX_EXCLUDES) {
    let best: { css: string; gain: number } | undefined;
    for (const css of candidates) {
      const reached = gain(css) * (0.7 + 0.3 * pool.rate(css));
      if (reached > (best?.gain ?? 0)) best = { css, gain: reached };
    }
    if (best === undefined) break;
    chosen.push(best.css);
    for (const [page, nodes] of pool.find(best.css).entries()) {
      const inside = markInside(labels[page]!, nodes);
      for (let b = 0; b < inside.length; b++) if (inside[b] === 1) open[page]![b] = 0;
    }
  }
  return chosen;

  /** Words of noise that a selector takes out, less the content that it costs. */
  function gain(css: string): number {
    let sum = 0;
    for (const [page, nodes] of pool.find(css).entries()) {
      if (nodes.length === 0) continue;
      const one = labels[page]!;
      const inside = markInside(one, nodes);
      for (let b = 0; b < inside.length; b++) {
        if (inside[b] === 0 || open[page]![b] === 0) continue;
        sum += one.weight[b]! * (1 - one.keep[b]! - LOSS * one.keep[b]!);
      }
    }
    return sum;
  }
}

/** Offers the elements around each block that is to be left out, up to where content begins. */
function offerNoise(labels: Labels, open: Uint8Array, roots: ReadonlySet<number>, pool: SelectorPool): void {
  const { tree, blocks } = labels.page;
  const seen = new Set<number>();
  for (const [index, block] of blocks.entries()) {
    if (open[index] === 0 || labels.keep[index]! > 0) continue;
    for (let node = block.element; node > 0 && !roots.has(node) && !seen.has(node); node = tree.parent[node]!) {
      seen.add(node);
      if (getContentShare(labels, node) > 0.4) break;
      // What stands at a position on one page is something else on the next.
      pool.add(listSelectors(tree, node).filter(({ css }) => !css.includes(':nth-of-type')));
    }
  }
}

function getContentShare(labels: Labels, node: number): number {
  const { tree, blocks } = labels.page;
  let kept = 0;
  let all = 0;
  for (let b = findBlock(blocks, node); b < blocks.length && blocks[b]!.first < tree.end[node]!; b++) {
    kept += labels.keep[b]! * labels.weight[b]!;
    all += labels.weight[b]!;
  }
  return all === 0 ? 0 : kept / all;
}

/** Hashes of the repeated texts inside the places, those of the most words first: elsewhere the same words may be content. */
function listTexts(
  labels: readonly Labels[],
  repeated: ReadonlyMap<number, number>,
  roots: readonly (readonly number[])[],
): number[] {
  const words = new Map<number, number>();
  for (const [place, one] of labels.entries()) {
    const { page } = one;
    const inside = markInside(one, roots[place]!);
    for (const [index, block] of page.blocks.entries()) {
      const keptShare = repeated.get(block.hash);
      if (inside[index] === 0 || keptShare === undefined || isSharedHeading(page, index, keptShare)) continue;
      words.set(block.hash, block.words);
    }
  }
  return [...words]
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_TEXTS)
    .map(([hash]) => hash);
}
