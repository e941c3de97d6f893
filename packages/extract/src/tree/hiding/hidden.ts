import { TAG } from '../tags.ts';
import type { Tree } from '../tree.ts';

/** Reasons for hiding, as bits. */
export const HIDDEN_ATTRIBUTE = 1;
export const HIDDEN_STYLE = 2;
const HIDDEN_ARIA = 4;
export const HIDDEN_DIALOG = 8;

/** Visibility of an element by its own markup, without style sheets. */
export function getHiddenBits(tree: Tree, node: number): number {
  const attributes = tree.attributes[node];
  let bits = 0;
  let open = false;
  if (attributes !== undefined) {
    for (const { name, value } of attributes) {
      if (name === 'hidden') bits |= value === 'until-found' ? 0 : HIDDEN_ATTRIBUTE;
      else if (name === 'style') bits |= isHidingStyle(value) ? HIDDEN_STYLE : 0;
      else if (name === 'aria-hidden') bits |= value === 'true' ? HIDDEN_ARIA : 0;
      else if (name === 'open') open = true;
    }
  }
  if (tree.tag[node] === TAG.dialog && !open) bits |= HIDDEN_DIALOG;
  return bits;
}

const HIDING = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

function isHidingStyle(style: string): boolean {
  return style.length < 2000 && HIDING.test(style);
}
