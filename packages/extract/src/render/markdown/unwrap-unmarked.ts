import type { Element, ElementContent, Root, RootContent } from 'hast';

/** Elements that Markdown has no sign for. */
const UNMARKED: ReadonlySet<string> = new Set(['abbr', 'cite', 'dfn', 'ins', 'rp', 'rt', 'ruby', 'sub', 'sup', 'time']);

/**
 * Puts what they hold in the place of elements that Markdown has no sign for. The conversion would do so as well, but joins the
 * pieces of a line one by one, each time looking through the line from its start.
 */
export function unwrapUnmarked(parent: Root | Element): void {
  parent.children = parent.children.flatMap(unwrap) as ElementContent[];
}

function unwrap(node: RootContent): RootContent[] {
  if (node.type !== 'element') return [node];
  unwrapUnmarked(node);
  return UNMARKED.has(node.tagName) ? node.children : [node];
}
