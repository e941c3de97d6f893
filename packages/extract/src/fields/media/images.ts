import type { Image } from '../../types/extraction.ts';
import { detach } from '../../tree/detach.ts';
import { isHiddenItself, isInHiddenPart } from '../../tree/hiding/find-hidden.ts';
import { TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { collapse, cut } from '../../tree/text/node-text.ts';
import { parseSrcset, pickLargest, type SourceCandidate } from './srcset.ts';
import type { UrlResolver } from '../../tree/url-resolver.ts';

/** Attributes in which lazy-loading scripts keep sources, most reliable first. */
const LAZY_SRCSETS = [
  'nitro-lazy-srcset',
  'data-wpfc-original-srcset',
  'data-lzl-srcset',
  'data-srcset',
  'data-lazy-srcset',
  'data-original-set',
  'data-bgset',
  'data-flickity-lazyload-srcset',
];
const LAZY_SOURCES = [
  'nitro-lazy-src',
  'data-wpfc-original-src',
  'data-lzl-src',
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-lazy',
  'data-full-url',
  'data-hi-res-src',
  'data-image-src',
  'data-image',
  'data-img-src',
  'data-url',
  'data-actualsrc',
  'data-echo',
  'data-ll-src',
  'data-flickity-lazyload',
  'data-delayed-url',
  'data-pin-media',
  'lazy-src',
];

/** Nodes between an image and its original. */
const MAX_PREVIEW_NODES = 8;
const LAZY_NAME = /^(?:data-|lazy|nitro-lazy)/;

const PLACEHOLDER_WORDS = toSet('blank spacer placeholder transparent 1x1 loading loader lazy lazyload dummy empty');
/**
 * Also ordinary words ("google-pixel-8.jpg"): they only count at the start of a name, in file types other than
 * photographs.
 */
const WEAK_PLACEHOLDER_WORDS = toSet('pixel grey gray clear trans');
/** Neutral words: the words before them decide. */
const NEUTRAL_WORDS = toSet(
  'image img picture pic photo avatar thumb thumbnail spinner ring icon gif small medium large square portrait landscape white black green bg min',
);
const NEUTRAL_NUMBER = /^(?:\d+(?:x\d*)?(?:px|w|h)?|[a-z]{1,2}\d+|[\da-f]{8,64})$/;
const FILE_NAME = /^([^/]{1,200})\.(gif|png|svg|jpe?g|webp)$/i;
const PHOTOGRAPH = /^(?:jpe?g|webp)$/i;

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

const INLINE = /^\s*(?:data|blob|about):/i;
/** An image of these types with a placeholder's name is never content. */
const PLACEHOLDER_TYPE = /\.(?:gif|svg)(?:$|\?)/i;

/**
 * Lists images in document order, each address once, with the best source. Excludes inline data and tracking pixels.
 */
export function listImages(
  tree: Tree,
  nodes: readonly number[],
  urls: UrlResolver,
  isInMain: (node: number) => boolean,
): Image[] {
  const images = new Map<string, Image>();
  let before = -1;
  let beforeImage: Image | undefined;
  for (const node of nodes) {
    const width = readPixels(getAttribute(tree, node, 'width'));
    const height = readPixels(getAttribute(tree, node, 'height'));
    if (isInvisiblePixel(width, height)) continue;
    const alt = readAlt(tree, node);
    let image = beforeImage !== undefined && isFallback(tree, node, before) ? beforeImage : undefined;
    if (image === undefined) {
      const url = findSource(tree, node, urls);
      if (url !== null) {
        image = images.get(url) ?? { url: detach(url), alt, width, height, in_main: false };
        images.set(url, image);
      }
    }
    if (image !== undefined) {
      image.alt ||= alt ?? image.alt;
      image.width ??= width;
      image.height ??= height;
      image.in_main ||= isInMain(node);
    }
    before = node;
    beforeImage = image;
  }
  return [...images.values()];
}

/**
 * Null if the page states none, or if readers do not see the image; an empty one marks a decorative image. Images that
 * a script loads later are hidden until then.
 */
function readAlt(tree: Tree, node: number): string | null {
  if (isHiddenForGood(tree, node)) return null;
  const alt = getAttribute(tree, node, 'alt');
  return alt === undefined ? null : detach(collapse(cut(alt, 2_000)));
}

/** Whether an image is hidden, and no script shows it once it is loaded. */
export function isHiddenForGood(tree: Tree, node: number): boolean {
  return isInHiddenPart(tree, node) && !(isHiddenItself(tree, node) && hasLazySource(tree, node));
}

export function isFallback(tree: Tree, node: number, before: number): boolean {
  let noscript = tree.parent[node];
  for (let step = 0; step < 4 && noscript > 0 && tree.tag[noscript] !== TAG.noscript; step++)
    noscript = tree.parent[noscript];
  if (noscript <= 0 || tree.tag[noscript] !== TAG.noscript) return false;
  return before >= tree.parent[noscript] && before < noscript && noscript - tree.end[before] < 8;
}

export function isTrackingPixel(tree: Tree, node: number): boolean {
  return isInvisiblePixel(
    readPixels(getAttribute(tree, node, 'width')),
    readPixels(getAttribute(tree, node, 'height')),
  );
}

function isInvisiblePixel(width: number | null, height: number | null): boolean {
  if (width === null || height === null) return false;
  // "3" by "2" is an aspect ratio.
  return Math.min(width, height) <= 1 || Math.max(width, height) <= 2;
}

/**
 * Absolute address of the best source of an image element, or null: sets come before lazy-loading attributes, and those
 * before `src`.
 */
export function findSource(tree: Tree, node: number, urls: UrlResolver): string | null {
  const lazy = hasLazyAttribute(tree, node);
  const best = pickLargest(listCandidates(tree, node, lazy), (url) => !isPlaceholder(url));
  const ofSet = best === null ? null : urls.resolve(best);
  if (ofSet !== null) return ofSet;
  if (lazy) {
    for (const name of LAZY_SOURCES) {
      const value = fillWidth(tree, node, getAttribute(tree, node, name));
      const url = value !== undefined && looksLikeAddress(value) ? urls.resolve(value) : null;
      if (url !== null) return url;
    }
  }
  const own = readPlainSource(tree, node, urls);
  const original = lazy || own === null ? -1 : findOriginal(tree, node);
  return original < 0 ? own : (findSource(tree, original, urls) ?? own);
}

const WIDTH = /\{width\}|%7Bwidth%7D/i;
/** Characters of a list of widths. */
const MAX_WIDTHS = 300;

/** Puts the largest of the image's widths into an address that scripts complete; undefined if it has none. */
function fillWidth(tree: Tree, node: number, address: string | undefined): string | undefined {
  if (address === undefined || !WIDTH.test(address)) return address;
  const widths = (getAttribute(tree, node, 'data-widths') ?? '').slice(0, MAX_WIDTHS).match(/\d{2,4}/g);
  return widths === null ? undefined : address.replace(WIDTH, String(Math.max(...widths.map(Number))));
}

/** The image in the `<noscript>` behind an image without other sources: a script replaces the preview. */
function findOriginal(tree: Tree, node: number): number {
  const last = Math.min(tree.size, tree.end[node] + MAX_PREVIEW_NODES);
  for (let next = tree.end[node]; next < last; next++) {
    if (tree.tag[next] === TAG.img) return isFallback(tree, next, node) ? next : -1;
    if (tree.tag[next] === TEXT && /\S/.test(tree.value[next])) return -1;
  }
  return -1;
}

function readPlainSource(tree: Tree, node: number, urls: UrlResolver): string | null {
  const src = getAttribute(tree, node, 'src');
  if (src === undefined || INLINE.test(src) || (PLACEHOLDER_TYPE.test(src) && isPlaceholder(src))) return null;
  return urls.resolve(src);
}

function listCandidates(tree: Tree, node: number, lazy: boolean): SourceCandidate[] {
  const sets: SourceCandidate[] = [];
  addSet(getAttribute(tree, node, 'srcset'), sets);
  if (lazy) for (const name of LAZY_SRCSETS) addSet(getAttribute(tree, node, name), sets);
  const parent = tree.parent[node];
  if (tree.tag[parent] === TAG.picture) addPictureSources(tree, parent, sets);
  return sets;
}

export function isPlaceholder(address: string): boolean {
  const path = address.slice(0, 2_048).split('?', 1)[0];
  const match = FILE_NAME.exec(path.slice(path.lastIndexOf('/') + 1));
  if (match === null) return false;
  const name = match[1].toLowerCase();
  let first = '';
  // From the end: the last word mostly decides.
  for (let end = name.length; end > 0;) {
    let start = end;
    while (start > 0 && !endsWord(name.charCodeAt(start - 1))) start--;
    const word = name.slice(start, end);
    end = start - 1;
    if (word === '') continue;
    if (PLACEHOLDER_WORDS.has(word) || PLACEHOLDER_WORDS.has(word.replace(/\d{1,4}$/, ''))) return true;
    if (!NEUTRAL_WORDS.has(word) && !WEAK_PLACEHOLDER_WORDS.has(word) && !NEUTRAL_NUMBER.test(word)) return false;
    first = word;
  }
  return WEAK_PLACEHOLDER_WORDS.has(first) && !PHOTOGRAPH.test(match[2]);
}

function endsWord(code: number): boolean {
  return code === 0x2d || code === 0x2e || code === 0x5f;
}

function hasLazyAttribute(tree: Tree, node: number): boolean {
  const attributes = tree.attributes[node] ?? [];
  for (const { name } of attributes) if (LAZY_NAME.test(name)) return true;
  return false;
}

function hasLazySource(tree: Tree, node: number): boolean {
  const attributes = tree.attributes[node] ?? [];
  return attributes.some(({ name }) => LAZY_SOURCES.includes(name) || LAZY_SRCSETS.includes(name));
}

function addSet(srcset: string | undefined, sets: SourceCandidate[]): void {
  if (srcset !== undefined) sets.push(...parseSrcset(srcset));
}

function addPictureSources(tree: Tree, picture: number, sets: SourceCandidate[]): void {
  const end = Math.min(tree.end[picture], picture + 60);
  for (let i = picture + 1; i < end; i++) {
    if (tree.tag[i] !== TAG.source) continue;
    for (const name of ['srcset', ...LAZY_SRCSETS]) addSet(getAttribute(tree, i, name), sets);
  }
}

/** Lazy-loading attributes also contain JSON, numbers and selectors. */
function looksLikeAddress(value: string): boolean {
  if (value.length > 2_048 || value.startsWith('data:') || /[\s{}"'<>]/.test(value.trim())) return false;
  return value.includes('/') || /\.(?:jpe?g|png|gif|webp|avif|svg)\b/i.test(value);
}

function readPixels(value: string | undefined): number | null {
  if (value === undefined) return null;
  const match = /^(\d{1,6})(?:\.\d+)?\s*(?:px)?$/.exec(value.trim());
  return match === null ? null : Number(match[1]);
}
