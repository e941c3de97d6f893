import { OTHER, TAG } from './tags.ts';
import type { Tree } from './tree.ts';

/** AMP elements with the attributes of `<img>`. */
const IMAGE_ELEMENTS: ReadonlySet<string> = new Set(['amp-img', 'amp-anim']);

export function isImage(tree: Tree, node: number): boolean {
  const tag = tree.tag[node];
  return tag === TAG.img || (tag === OTHER && IMAGE_ELEMENTS.has(tree.value[node]));
}
