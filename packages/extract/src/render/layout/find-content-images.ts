import { isHiddenForGood } from '../../fields/media/images.ts';
import type { ContentBlock } from '../../types/extraction.ts';
import { isImage } from '../../tree/is-image.ts';
import { isPlayer } from './read-player.ts';
import { DROPPED, markTags, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';

const INK = /\S/;
const MAX_NAME = 300;
const MAX_UP = 3;
/** Width of lead images, in pixels. */
const LEAST_WIDTH = 300;
const AVATAR_NAME = /(?:^|[\s_-])(?:gr)?avatar(?:$|[\s_-])/i;
/** A quick test for most names. */
const MAY_BE_CAPTION = /caption/i;
/** A caption that is left out does not part its image from the text. */
const CAPTION_NAME = /(?:^|\s)(?:[\w-]{0,40}[_-])?caption(?:-text|__text)?(?:\s|$)/i;
const BESIDE = markTags('aside', 'button', 'footer', 'form', 'nav');

/**
 * Images and frames with players in the selected content: inside a block, or next to one without other text between, inside the lowest element
 * around all blocks.
 */
export function findContentImages(tree: Tree, blocks: readonly ContentBlock[]): Set<number> {
  const finder = new ImageFinder(tree);
  const [first] = blocks;
  if (first === undefined) return finder.images;
  const container = findContainer(tree, first.element, blocks.at(-1)!.end);
  finder.passLead(findStart(tree, container), first.first);
  let node = container + 1;
  for (const block of blocks) {
    finder.passOther(node, block.first);
    finder.passContent(block.first, block.end);
    node = block.end;
  }
  finder.passOther(node, tree.end[container]);
  return finder.images;
}

/** Where the article around the container starts, at most a few levels up. */
function findStart(tree: Tree, container: number): number {
  let start = container;
  for (let step = 0; step < MAX_UP && tree.parent[start] > 0; step++) {
    if (tree.tag[start] === TAG.article || tree.tag[start] === TAG.main || tree.tag[start] === TAG.body) break;
    start = tree.parent[start];
  }
  return start;
}

/** The lowest element around both the given element and the node before `end`. */
function findContainer(tree: Tree, element: number, end: number): number {
  let container = element;
  while (tree.end[container] < end) container = tree.parent[container];
  return container;
}

class ImageFinder {
  readonly images = new Set<number>();
  readonly #tree: Tree;
  #isAfterContent = false;
  /** Images since the last unselected text: content if a selected block follows. */
  #waiting: number[] = [];

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  passContent(from: number, to: number): void {
    for (const image of this.#waiting) this.images.add(image);
    this.#waiting = [];
    this.#isAfterContent = true;
    for (let node = from; node < to; node++) if (this.#isPicture(node) && this.#isContent(node)) this.images.add(node);
  }

  /** A lead image stands before the text, often outside its container. */
  passLead(from: number, to: number): void {
    const { tag, end, value } = this.#tree;
    let leads: number[] = [];
    for (let node = from + 1; node < to; node++) {
      const code = tag[node];
      if (this.#isPicture(node)) {
        if (!this.#isContent(node) || !this.#isLarge(node)) continue;
        leads.push(node);
      } else if (code === TEXT && INK.test(value[node])) {
        leads = [];
      } else if ((TAG_FLAGS[code] & DROPPED) !== 0 || BESIDE[code] === 1 || this.#isCaption(node)) {
        if (end[node] <= to) node = end[node] - 1;
      }
    }
    for (const image of leads) this.images.add(image);
  }

  #isPicture(node: number): boolean {
    return isImage(this.#tree, node) || isPlayer(this.#tree, node);
  }

  #isContent(node: number): boolean {
    const names = getAttribute(this.#tree, node, 'class') ?? '';
    return !isHiddenForGood(this.#tree, node) && !(names.length < MAX_NAME && AVATAR_NAME.test(names));
  }

  /** In a figure or picture, or of a size that no icon or avatar has. */
  #isLarge(node: number): boolean {
    const width = Number.parseInt(getAttribute(this.#tree, node, 'width') ?? '', 10);
    if (width > 0) return width >= LEAST_WIDTH;
    let around = this.#tree.parent[node];
    for (let step = 0; step < MAX_UP && around > 0; step++, around = this.#tree.parent[around])
      if (this.#tree.tag[around] === TAG.figure || this.#tree.tag[around] === TAG.picture) return true;
    return false;
  }

  #isCaption(node: number): boolean {
    if (this.#tree.tag[node] === TAG.figcaption) return true;
    const names = getAttribute(this.#tree, node, 'class') ?? '';
    return names.length < MAX_NAME && MAY_BE_CAPTION.test(names) && CAPTION_NAME.test(names);
  }

  passOther(from: number, to: number): void {
    const { tag, end, value } = this.#tree;
    for (let node = from; node < to; node++) {
      const code = tag[node];
      if (this.#isPicture(node)) {
        if (this.#isContent(node)) this.#passImage(node);
      } else if (code === TEXT && INK.test(value[node])) {
        this.#isAfterContent = false;
        this.#waiting = [];
      } else if (TAG_FLAGS[code] & DROPPED && code !== TAG.template) node = end[node] - 1;
      else if (end[node] <= to && this.#isCaption(node)) node = end[node] - 1;
    }
  }

  #passImage(node: number): void {
    if (this.#isAfterContent) this.images.add(node);
    else this.#waiting.push(node);
  }
}
