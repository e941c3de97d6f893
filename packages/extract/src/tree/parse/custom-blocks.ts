import { BLOCK, CUSTOM_BLOCK, INLINE, markTags, OTHER, TAG_FLAGS, TEXT } from '../tags.ts';
import type { LightNode } from './light-tree-adapter.ts';

const INK = /\S/;
/** They hold one run of text, also with custom elements in it. */
const TEXT_BLOCKS = markTags(
  ...(['button', 'caption', 'dt', 'figcaption', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const),
  ...(['label', 'legend', 'option', 'p', 'pre', 'summary'] as const),
);
/** Largest number of custom elements around one. */
const MAX_AROUND = 12;
/** Elements of AMP that are images, and of MathJax. */
const INLINE_NAME = /^(?:amp-|mjx-)/;

/** Finds the custom elements of a page that stand for paragraphs. Linear: the children of a parent are read once. */
export class CustomBlocks {
  readonly #mixed = new Map<LightNode, boolean>();

  /**
   * The tag code of an unknown element: a block if it has a custom name and text of its own, and stands in a block
   * beside other blocks or custom elements only.
   */
  getTag(node: LightNode): number {
    if (!node.value.includes('-') || INLINE_NAME.test(node.value)) return OTHER;
    return this.#holdsText(node) && this.#isAmongBlocks(node) ? CUSTOM_BLOCK : OTHER;
  }

  #isAmongBlocks(node: LightNode): boolean {
    let around = node.parent;
    for (let step = 0; step < MAX_AROUND && around !== null; step++, around = around.parent) {
      if (this.#holdsText(around)) return false;
      if (around.kind !== OTHER) return (TAG_FLAGS[around.kind] & BLOCK) !== 0 && TEXT_BLOCKS[around.kind] === 0;
    }
    return false;
  }

  /** Whether an element has text outside blocks and custom elements. */
  #holdsText(node: LightNode): boolean {
    let isMixed = this.#mixed.get(node);
    if (isMixed !== undefined) return isMixed;
    isMixed = false;
    for (let child = node.firstChild; child !== null && !isMixed; child = child.next) {
      isMixed = child.kind === TEXT ? INK.test(child.value) : child.kind !== OTHER && isInline(child);
    }
    this.#mixed.set(node, isMixed);
    return isMixed;
  }
}

function isInline({ kind, firstChild }: LightNode): boolean {
  return kind > TEXT && (TAG_FLAGS[kind] & INLINE) !== 0 && firstChild !== null;
}
