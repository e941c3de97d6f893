import type { Element, ElementContent, Root, RootContent } from 'hast';

const UNMARKED: ReadonlySet<string> = new Set(['abbr', 'cite', 'dfn', 'ins', 'rp', 'rt', 'ruby', 'sub', 'sup', 'time']);

/** Replaces elements without Markdown by their content; `toMdast` would do so in quadratic time. */
export function unwrapUnmarked(parent: Root | Element): void {
  parent.children = parent.children.flatMap(unwrap) as ElementContent[];
}

function unwrap(node: RootContent): RootContent[] {
  if (node.type !== 'element') return [node];
  unwrapUnmarked(node);
  return UNMARKED.has(node.tagName) ? node.children : [node];
}
