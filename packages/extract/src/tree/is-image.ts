import { OTHER, TAG } from './tags.ts';
import type { Tree } from './tree.ts';

/** Custom elements that show an image by the attributes of `<img>`: those of AMP. */
const IMAGE_ELEMENTS: ReadonlySet<string> = new Set(['amp-img', 'amp-anim']);

/** Whether an element shows an image as `<img>` does. */
export function isImage(tree: Tree, node: number): boolean {
  const tag = tree.tag[node];
  return tag === TAG.img || (tag === OTHER && IMAGE_ELEMENTS.has(tree.value[node]!));
}
