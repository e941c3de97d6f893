import type { Element, Root } from 'hast';

const HEADING = /^h[1-6]$/;

/**
 * Replaces a link that is a whole heading and leads to its own page by its text.
 *
 * @param page the page's address without its fragment, or null
 */
export function unlinkHeadings(parent: Root | Element, page: string | null): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (!HEADING.test(node.tagName)) {
      unlinkHeadings(node, page);
      continue;
    }
    const [link] = node.children;
    if (node.children.length !== 1 || link?.type !== 'element' || link.tagName !== 'a') continue;
    const address = String(link.properties['href']).split('#', 1)[0];
    if (address === page) node.children = link.children;
  }
}
