import { isHiddenForGood } from '../../fields/media/images.ts';
import type { ContentBlock } from '../../types/extraction.ts';
import { isImage } from '../../tree/is-image.ts';
import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';

const INK = /\S/;

/**
 * Images in the selected content: inside a block, or next to one without other text between, inside the lowest element
 * around all blocks.
 */
export function findContentImages(tree: Tree, blocks: readonly ContentBlock[]): Set<number> {
  const finder = new ImageFinder(tree);
  const [first] = blocks;
  if (first === undefined) return finder.images;
  const container = findContainer(tree, first.element, blocks.at(-1)!.end);
  let node = container + 1;
  for (const block of blocks) {
    finder.passOther(node, block.first);
    finder.passContent(block.first, block.end);
    node = block.end;
  }
  finder.passOther(node, tree.end[container]);
  return finder.images;
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
    for (let node = from; node < to; node++)
      if (isImage(this.#tree, node) && !isHiddenForGood(this.#tree, node)) this.images.add(node);
  }

  passOther(from: number, to: number): void {
    const { tag, end, value } = this.#tree;
    for (let node = from; node < to; node++) {
      const code = tag[node];
      if (isImage(this.#tree, node)) {
        if (!isHiddenForGood(this.#tree, node)) this.#passImage(node);
      } else if (code === TEXT && INK.test(value[node])) {
        this.#isAfterContent = false;
        this.#waiting = [];
      } else if (TAG_FLAGS[code] & DROPPED && code !== TAG.template) node = end[node] - 1;
    }
  }

  #passImage(node: number): void {
    if (this.#isAfterContent) this.images.add(node);
    else this.#waiting.push(node);
  }
}
