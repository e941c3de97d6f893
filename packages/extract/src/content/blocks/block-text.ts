import { TAG, TEXT } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import { END, FIRST, STRIDE, type Blocks } from './blocks.ts';

const FUSED = /\p{Ll}$/u;
const RESTARTS = /^[\p{Lu}\p{N}]/u;

/**
 * A block's words on one line, with a space between words that only markup separates (links, line breaks, a capital
 * after a lower-case element).
 */
export function readBlockText(tree: Tree, blocks: Blocks, block: number): string {
  const first = blocks.rows[block * STRIDE + FIRST];
  const end = blocks.rows[block * STRIDE + END];
  let text = '';
  let last = '';
  for (let i = first; i < end; i++) {
    const tag = tree.tag[i];
    if (tag === TEXT) {
      const value = tree.value[i];
      text += FUSED.test(last) && RESTARTS.test(value) ? ` ${value}` : value;
      last = value.slice(-1);
    } else if (tag === TAG.br || tag === TAG.a || tag === TAG.img) {
      text += ' ';
      last = ' ';
    } else if (tag === TAG.script || tag === TAG.style) {
      i = tree.end[i] - 1;
    }
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}
