import { lowerBound } from '../tree/lower-bound.ts';
import { TAG } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import type { Signals } from './signals.ts';

/** Maximum nodes from an entry's heading to its byline. */
const REACH = 60;
const MAX_HEADING_NODES = 12;

/** Tests whether a node follows a heading that links to another page of the site. */
export function createEntryTest(
  tree: Tree,
  { h1s, h2s }: Pick<Signals, 'h1s' | 'h2s'>,
  page: URL | null,
): (node: number) => boolean {
  const headings = [...h1s, ...h2s].toSorted((a, b) => a - b);
  const answers = new Map<number, boolean>();
  return (node) => {
    const heading: number | undefined = headings[lowerBound(headings, node) - 1];
    if (page === null || heading === undefined || node - tree.end[heading] > REACH) return false;
    let answer = answers.get(heading);
    if (answer === undefined) {
      answer = leadsElsewhere(readHeadingLink(tree, heading), page);
      answers.set(heading, answer);
    }
    return answer;
  };
}

/** The address that a heading links to. */
export function readHeadingLink(tree: Tree, heading: number): string | undefined {
  const around = tree.parent[heading];
  if (tree.tag[around] === TAG.a) return getAttribute(tree, around, 'href');
  const stop = Math.min(tree.end[heading], heading + MAX_HEADING_NODES);
  for (let node = heading + 1; node < stop; node++)
    if (tree.tag[node] === TAG.a) return getAttribute(tree, node, 'href');
  return undefined;
}

function leadsElsewhere(href: string | undefined, page: URL): boolean {
  if (href === undefined || href.length > 2_000 || /^(?:#|[a-z]+:(?!\/\/))/i.test(href)) return false;
  const target = URL.parse(href, page);
  if (target === null || target.hostname.replace(/^www\./, '') !== page.hostname.replace(/^www\./, '')) return false;
  const path = target.pathname.replace(/\/$/, '');
  return path !== '' && path !== page.pathname.replace(/\/$/, '');
}
