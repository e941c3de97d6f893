import { TAG } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';

/** Whether the page itself has parentheses around a reading: `<rp>(</rp><rt>…`. */
export function followsParenthesis(tree: Tree, rt: number): boolean {
  return tree.tag[rt - 1] === TAG.rp || tree.tag[tree.parent[rt - 1]] === TAG.rp;
}
