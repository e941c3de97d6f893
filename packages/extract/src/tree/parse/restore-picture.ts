import { TAG, TEXT } from '../tags.ts';
import type { LightNode } from './light-tree-adapter.ts';

const MAX_STYLE = 10_000;
const BACKGROUND = /(?:^|;)\s*background(?:-image)?\s*:[^;]*?\burl\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]+))\s*\)/i;

/** Makes an empty element with the role of an image and a background of its own an `<img>`. */
export function restorePicture(node: LightNode): void {
  if (node.kind <= TEXT || node.attributes.length < 2 || !isEmpty(node)) return;
  let role = '';
  let style = '';
  for (const { name, value } of node.attributes) {
    if (name === 'role') role = value;
    else if (name === 'style') style = value;
  }
  if (role.trim().toLowerCase() !== 'img' || style.length > MAX_STYLE) return;
  const [, ...sources] = BACKGROUND.exec(style) ?? [];
  const src = sources.find((source) => source !== undefined);
  if (src === undefined) return;
  const alt = node.attributes.find(({ name }) => name === 'aria-label')?.value ?? '';
  node.kind = TAG.img;
  node.value = 'img';
  node.firstChild = node.lastChild = null;
  node.attributes = [{ name: 'src', value: src }, { name: 'alt', value: alt }, ...node.attributes];
}

function isEmpty({ firstChild: child }: LightNode): boolean {
  return child === null || (child.kind === TEXT && child.next === null && !/\S/.test(child.value));
}
