import { TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { IN_NAV } from '../../page/page-context.ts';
import type { PageFacts } from '../../page/page-facts.ts';

/** Items of a breadcrumb are wrapped in at most this many elements. */
const MAX_WRAPPERS = 2;
const MAX_ITEMS = 12;
const MAX_ITEM_NODES = 12;
const LEAST_LINKS = 2;

/** Whether the heading is the last item of a breadcrumb. */
export function isInBreadcrumb(facts: Pick<PageFacts, 'tree' | 'context' | 'url'>, heading: number): boolean {
  if ((facts.context.get(heading) & IN_NAV) !== 0) return true;
  const { tree } = facts;
  for (let item = heading, wrappers = 0; item > 0 && wrappers <= MAX_WRAPPERS; item = tree.parent[item], wrappers++) {
    const links = listLinksBefore(tree, item);
    if (links === null) continue;
    return links.length >= LEAST_LINKS && links.every((href) => leadsToSection(href, facts.url));
  }
  return false;
}

/** Addresses of the siblings before an item; null without siblings, or if one is not a link or separator. */
function listLinksBefore(tree: Tree, item: number): string[] | null {
  const links: string[] = [];
  let items = 0;
  for (let node = tree.parent[item] + 1; node < item; node = tree.end[node]) {
    if (tree.tag[node] === TEXT && tree.value[node].trim() === '') continue;
    items++;
    if (items > MAX_ITEMS) return [];
    const href = readSoleLink(tree, node);
    if (href === undefined) return [];
    if (href !== null) links.push(href);
  }
  return items === 0 ? null : links;
}

/** The address of an item's only link, null if the item is a separator, undefined if it is anything else. */
function readSoleLink(tree: Tree, item: number): string | null | undefined {
  if (tree.end[item] - item > MAX_ITEM_NODES) return undefined;
  let link = -1;
  for (let node = item; node < tree.end[item]; node++) {
    if (tree.tag[node] === TAG.a) {
      if (link >= 0) return undefined;
      link = node;
    } else if (
      tree.tag[node] === TEXT &&
      (link < 0 || node >= tree.end[link]) &&
      /[\p{L}\p{N}]/u.test(tree.value[node])
    )
      return undefined;
  }
  return link < 0 ? null : (getAttribute(tree, link, 'href') ?? undefined);
}

function leadsToSection(href: string, page: URL | null): boolean {
  if (page === null) return false;
  const path = URL.parse(href, page)?.pathname.replace(/\/$/, '');
  return path !== undefined && (path === '' || page.pathname.startsWith(`${path}/`));
}
