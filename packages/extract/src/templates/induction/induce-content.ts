import { BLOCK, HEADING, TAG_FLAGS } from '../../tree/tags.ts';
import { getNodeText } from '../../tree/text/node-text.ts';
import type { TemplateContent } from '../format/template.ts';
import { listSelectors } from './candidate-selectors.ts';
import { cutsBlock, findBlock } from '../application/content-blocks.ts';
import { mayExclude } from '../application/main-content.ts';
import { labelPages, type Labels } from './label-blocks.ts';
import type { SamplePage } from './sample-page.ts';
import { SelectorPool } from './selector-pool.ts';

const MAX_EXCLUDES = 30;
const MAX_UNION = 4;
const MAX_ALTERNATIVES = 3;
/** Least rating of a fallback: a weak name may change its meaning. */
const LEAST_FALLBACK_RATING = 0.4;
const MAX_TEXTS = 800;

/**
 * Learns which elements contain the main text, and which elements and texts to exclude, from the generic extractor's
 * choice on most pages. Undefined if no element has most of the content.
 */
export function induceContent(pages: readonly SamplePage[]): TemplateContent | undefined {
  const labels = labelPages(pages);
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
    exclude_text: listTexts(labels, findRoots(pages, include.join(', '))),
  };
}

/** Smallest share of a page's content in a candidate element. */
const LEAST_SHARE = 0.15;

function offerContainers(labels: Labels, pool: SelectorPool): void {
  const { tree, blocks } = labels.page;
  const held = new Map<number, number>();
  for (const [index, block] of blocks.entries()) {
    const weight = labels.keep[index] * labels.weight[index];
    if (weight === 0) continue;
    for (let node = block.element; node > 0; node = tree.parent[node]) held.set(node, (held.get(node) ?? 0) + weight);
  }
  for (const [node, weight] of held) {
    if (weight >= LEAST_SHARE * labels.total && !cutsBlock(tree, blocks, node)) pool.add(listSelectors(tree, node));
  }
}

/** Noise inside an element counts less than content outside it, because exclusions can remove it. */
const NOISE_WEIGHT = 0.35;

interface Choice {
  readonly css: string;
  readonly score: number;
}

/** Returns the best selector, and fallbacks that match the same elements by other names. */
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
            pool.rate(one.css) >= LEAST_FALLBACK_RATING &&
            finds(pool, one.css, best.css),
        )
      : [];
  return [union, ...others.slice(0, MAX_ALTERNATIVES - 1).map((one) => one.css)];
}

function finds(pool: SelectorPool, css: string, other: string): boolean {
  const [a, b] = [pool.find(css), pool.find(other)];
  return a.every((nodes, page) => nodes.length === b[page].length && nodes.every((node, i) => node === b[page][i]));
}

function extendUnion(labels: readonly Labels[], pool: SelectorPool, choices: readonly Choice[]): string {
  let { css } = choices[0];
  let found = pool.find(css);
  let score = scoreInclude(labels, found);
  const all = pool.list();
  for (let round = 1; round < MAX_UNION && score < 0.97; round++) {
    let best: { css: string; found: readonly (readonly number[])[]; score: number } | undefined;
    for (const one of all) {
      if (pool.rate(one) < 0.3) continue;
      const more = pool.find(one).map((nodes, page) => [...new Set([...nodes, ...found[page]])]);
      const reached = scoreInclude(labels, more);
      if (reached > (best?.score ?? score + 0.03)) best = { css: one, found: more, score: reached };
    }
    if (best === undefined) break;
    css = `${css}, ${best.css}`;
    ({ found, score } = best);
  }
  return css;
}

function scoreInclude(labels: readonly Labels[], found: readonly (readonly number[])[]): number {
  let sum = 0;
  let pages = 0;
  for (const [index, one] of labels.entries()) {
    if (one.total === 0) continue;
    pages++;
    const nodes = found[index];
    if (nodes.length === 0) continue;
    const inside = markInside(one, nodes);
    let kept = 0;
    let noise = 0;
    for (let b = 0; b < inside.length; b++) {
      if (inside[b] === 0) continue;
      kept += one.keep[b] * one.weight[b];
      noise += (1 - one.keep[b]) * one.weight[b];
    }
    sum += (2 * kept) / (kept + one.total + NOISE_WEIGHT * noise);
  }
  return pages === 0 ? 0 : sum / pages;
}

/** 1 for each block inside one of the elements and not hidden there. */
function markInside(labels: Labels, nodes: readonly number[]): Uint8Array {
  const { blocks, hiddenBy, tree } = labels.page;
  const inside = new Uint8Array(blocks.length);
  for (const node of nodes) {
    for (let b = findBlock(blocks, node); b < blocks.length && blocks[b].first < tree.end[node]; b++) {
      if (hiddenBy[b] <= node) inside[b] = 1;
    }
  }
  return inside;
}

function findRoots(pages: readonly SamplePage[], css: string): readonly (readonly number[])[] {
  const pool = new SelectorPool(pages.map((page) => page.tree));
  pool.add([{ css, rating: 1 }]);
  return pool.find(css);
}

/** Cost of lost content relative to noise. */
const LOSS = 2;
/** Largest share of content among excluded words: selectors are never exact. */
const MAX_LOST_SHARE = 0.1;

function chooseExcludes(labels: readonly Labels[], roots: readonly (readonly number[])[]): string[] {
  const pool = new SelectorPool(labels.map((one) => one.page.tree));
  const open = labels.map((one, page) => markInside(one, roots[page]));
  for (const [page, one] of labels.entries()) offerNoise(one, open[page], new Set(roots[page]), pool);
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
    for (const [page, inside] of removedBy(best.css).entries()) {
      for (let b = 0; b < inside.length; b++) if (inside[b] === 1) open[page][b] = 0;
    }
  }
  return chosen;

  function removedBy(css: string): Uint8Array[] {
    return pool.find(css).map((nodes, page) => {
      const one = labels[page];
      return markInside(
        one,
        nodes.filter((node) => mayExclude(one.page.tree, node)),
      );
    });
  }

  function gain(css: string): number {
    let all = 0;
    let lost = 0;
    for (const [page, inside] of removedBy(css).entries()) {
      const one = labels[page];
      for (let b = 0; b < inside.length; b++) {
        if (inside[b] === 0 || open[page][b] === 0) continue;
        if (isPrecious(one, b)) return 0;
        all += one.weight[b];
        lost += one.weight[b] * one.keep[b];
      }
    }
    return lost > MAX_LOST_SHARE * all ? 0 : all - lost - LOSS * lost;
  }
}

/** Largest length of a price with its label, in words. */
const PRICE_WORDS = 8;

/**
 * Whether nothing excludes a block: the extractor keeps it, and it is code, a term, a cell, a price, or a heading that does
 * not repeat.
 */
function isPrecious({ page, keep }: Labels, index: number): boolean {
  const { tree, blocks, kept, linkShare } = page;
  if (!kept[index] || linkShare[index] === 1) return false;
  const block = blocks[index];
  let holder = block.element;
  while (holder > 0 && (TAG_FLAGS[tree.tag[holder]] & BLOCK) === 0) holder = tree.parent[holder];
  if ((TAG_FLAGS[tree.tag[holder]] & HEADING) !== 0) return keep[index] > 0;
  return !mayExclude(tree, holder) || isPrice(page, index);
}

/** Whether a block is a price with its label. */
export function isPrice({ tree, blocks }: SamplePage, index: number): boolean {
  const block = blocks[index];
  return block.words <= PRICE_WORDS && PRICE.test(getNodeText(tree, block.element));
}

const PRICE = /\p{Sc}\s?\d|\d\s?\p{Sc}/u;

/** Offers the elements around noise, up to the first with much content. */
function offerNoise(labels: Labels, open: Uint8Array, roots: ReadonlySet<number>, pool: SelectorPool): void {
  const { tree, blocks } = labels.page;
  const seen = new Set<number>();
  for (const [index, block] of blocks.entries()) {
    if (open[index] === 0 || labels.keep[index] > 0) continue;
    for (let node = block.element; node > 0 && !roots.has(node) && !seen.has(node); node = tree.parent[node]) {
      seen.add(node);
      if (getContentShare(labels, node) > 0.4) break;
      if (!mayExclude(tree, node)) continue;
      // The element at a position differs between pages.
      pool.add(listSelectors(tree, node).filter(({ css }) => !css.includes(':nth-of-type')));
    }
  }
}

function getContentShare(labels: Labels, node: number): number {
  const { tree, blocks } = labels.page;
  let kept = 0;
  let all = 0;
  for (let b = findBlock(blocks, node); b < blocks.length && blocks[b].first < tree.end[node]; b++) {
    kept += labels.keep[b] * labels.weight[b];
    all += labels.weight[b];
  }
  return all === 0 ? 0 : kept / all;
}

/** Lists noise texts that are content on no sample page. */
function listTexts(labels: readonly Labels[], roots: readonly (readonly number[])[]): number[] {
  const words = new Map<number, number>();
  const content = new Set<number>();
  for (const [place, one] of labels.entries()) {
    const inside = markInside(one, roots[place]);
    for (const [index, block] of one.page.blocks.entries()) {
      if (inside[index] === 0) continue;
      if (one.keep[index] === 1 || isPrecious(one, index)) content.add(block.hash);
      else if (one.isNoise[index] === 1) words.set(block.hash, block.words);
    }
  }
  return [...words]
    .filter(([hash]) => !content.has(hash))
    .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_TEXTS)
    .map(([hash]) => hash);
}
