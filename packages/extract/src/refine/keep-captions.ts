import type { ContentBlock } from '../types/extraction.ts';
import { BLOCK, markTags, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { collapse } from '../tree/text/node-text.ts';
import { getAttribute, getTextContent, type Tree } from '../tree/tree.ts';

const INK = /\S/;
const MAY_BE_CAPTION = /caption/i;
const CAPTION_NAME =
  /(?:^|\s)(?:(?:wp-|image-|img-|photo-|picture-|media-|figure-)?caption(?:-text|__text)?|figcaption)(?:\s|$)/i;
const MAX_NAME = 300;
const MAX_CAPTION = 1_200;
const MAX_NODES = 120;
/** Levels from a figure to the element that also holds chosen text. */
const MAX_UP = 6;
/** Share of a caption in links: a teaser is one link. */
const MOST_LINKED = 0.8;
const APART = markTags('a', 'aside', 'button', 'footer', 'form', 'header', 'nav');
const PICTURES = markTags('audio', 'iframe', 'img', 'math', 'object', 'picture', 'pre', 'svg', 'table', 'video');

/** Least number of captions in a row that are a gallery. */
const LEAST_GALLERY = 3;

/**
 * Adds the captions of figures between chosen blocks, and right after the last one: they are short, and the model judges
 * them alone.
 *
 * @param least number of captions between two blocks: readers of the text alone miss those of a gallery only
 */
export function keepCaptions(tree: Tree, blocks: readonly ContentBlock[], least: number = 1): readonly ContentBlock[] {
  const kept: ContentBlock[] = [];
  const texts = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    kept.push(block);
    const found = listCaptions(tree, block, blocks[index + 1]?.first ?? findEnd(tree, blocks));
    if (found.length < least) continue;
    for (const caption of found) {
      // Carousels repeat slides.
      const text = collapse(getTextContent(tree, caption.element));
      if (!texts.has(text)) kept.push(caption);
      texts.add(text);
    }
  }
  return kept.length === blocks.length ? blocks : kept;
}

export function keepGalleries(tree: Tree, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return keepCaptions(tree, blocks, LEAST_GALLERY);
}

/** Where other text starts after the last block, or the part of the page ends that holds most of the blocks. */
function findEnd(tree: Tree, blocks: readonly ContentBlock[]): number {
  const { tag, end, parent, value } = tree;
  const last = blocks[blocks.length - 1];
  const early = blocks[blocks.length >> 2].first;
  let part = last.element;
  while (part > 0 && part >= early) part = parent[part];
  for (let node = last.end; node < end[part]; node++) {
    if (tag[node] === TEXT ? INK.test(value[node]) : APART[tag[node]] === 1) return node;
    if (tag[node] !== TEXT && isCaption(tree, node) && holds(tree, parent[node], PICTURES)) node = end[node] - 1;
  }
  return end[part];
}

function listCaptions(tree: Tree, before: ContentBlock, stop: number): ContentBlock[] {
  const { tag, end } = tree;
  const kept: ContentBlock[] = [];
  for (let node = before.end; node < stop; node++) {
    if (tag[node] === TEXT || !isCaption(tree, node)) continue;
    if (end[node] > stop) continue;
    if (belongs(tree, node, before, stop)) kept.push({ first: node + 1, end: end[node], element: node });
    node = end[node] - 1;
  }
  return kept;
}

function isCaption(tree: Tree, node: number): boolean {
  if (tree.tag[node] === TAG.figcaption) return true;
  if ((TAG_FLAGS[tree.tag[node]] & BLOCK) === 0 || tree.attributes[node] === undefined) return false;
  const names = getAttribute(tree, node, 'class');
  if (names === undefined || names.length > MAX_NAME || !MAY_BE_CAPTION.test(names) || !CAPTION_NAME.test(names))
    return false;
  return !holds(tree, node, PICTURES) && holds(tree, tree.parent[node], PICTURES);
}

function belongs(tree: Tree, caption: number, before: ContentBlock, stop: number): boolean {
  if (tree.hidden[caption] || tree.end[caption] - caption > MAX_NODES) return false;
  const text = getTextContent(tree, caption);
  if (!INK.test(text) || text.length > MAX_CAPTION) return false;
  if (countLinked(tree, caption) > MOST_LINKED * text.trim().length) return false;
  let around = tree.parent[caption];
  for (let step = 0; step < MAX_UP && around > 0; step++, around = tree.parent[around]) {
    if (around < before.first || tree.end[around] > stop) return true;
    if (APART[tree.tag[around]] === 1 && !isEnlargement(tree, around)) return false;
  }
  return false;
}

/** Whether a link around a figure leads to its picture. */
function isEnlargement(tree: Tree, link: number): boolean {
  return tree.tag[link] === TAG.a && PICTURE_FILE.test((getAttribute(tree, link, 'href') ?? '').slice(0, MAX_ADDRESS));
}

const PICTURE_FILE = /\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)/i;
const MAX_ADDRESS = 2_000;

function countLinked(tree: Tree, caption: number): number {
  let linked = 0;
  for (let node = caption + 1; node < tree.end[caption]; node++)
    if (tree.tag[node] === TAG.a) linked += getTextContent(tree, node).trim().length;
  return linked;
}

function holds(tree: Tree, node: number, tags: Uint8Array): boolean {
  const end = Math.min(tree.end[node], node + MAX_NODES);
  for (let inner = node + 1; inner < end; inner++) if (tags[tree.tag[inner]] === 1) return true;
  return false;
}
