import type { Link } from '../../types/extraction.ts';
import { detach } from '../../tree/detach.ts';
import { isInHiddenPart } from '../../tree/hiding/find-hidden.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { collapse, cut, getNodeText } from '../../tree/text/node-text.ts';
import type { UrlResolver } from '../../tree/url-resolver.ts';

/**
 * Lists http(s) links in document order, each address once, without fragments of the page itself. Missing text comes
 * from a later copy; a link is in the main content if any copy is.
 */
export function listLinks(
  tree: Tree,
  anchors: readonly number[],
  urls: UrlResolver,
  isInMain: (node: number) => boolean,
): Link[] {
  const links = new Map<string, Link>();
  for (const node of anchors) {
    const href = getAttribute(tree, node, 'href');
    if (href === undefined) continue;
    const url = urls.resolve(href);
    if (url === null || isFragmentOfPage(url, urls.page)) continue;
    const known = links.get(url);
    if (known === undefined) links.set(url, createLink(tree, node, url, urls, isInMain));
    else {
      known.in_main ||= isInMain(node);
      known.text ||= detach(readLinkText(tree, node));
    }
  }
  return [...links.values()];
}

function createLink(
  tree: Tree,
  node: number,
  url: string,
  urls: UrlResolver,
  isInMain: (node: number) => boolean,
): Link {
  const rel = collapse(getAttribute(tree, node, 'rel') ?? '');
  return {
    url: detach(url),
    text: detach(readLinkText(tree, node)),
    rel: rel === '' ? null : detach(rel),
    internal: urls.isInternal(url),
    in_main: isInMain(node),
  };
}

function isFragmentOfPage(url: string, page: string | null): boolean {
  if (page === null) return false;
  return url.length > page.length && url.charCodeAt(page.length) === 0x23 /* # */ && url.startsWith(page);
}

/** Empty for a link that readers do not see: its text may be written for machines. */
function readLinkText(tree: Tree, node: number): string {
  if (isInHiddenPart(tree, node)) return '';
  const text = getNodeText(tree, node, true);
  if (text !== '') return text;
  const label = getAttribute(tree, node, 'aria-label') || getAttribute(tree, node, 'title') || findAlt(tree, node);
  return collapse(cut(label, 500));
}

function findAlt(tree: Tree, node: number): string {
  const end = Math.min(tree.end[node], node + 50);
  for (let i = node + 1; i < end; i++) {
    if (isInHiddenPart(tree, i)) continue;
    const alt = getAttribute(tree, i, 'alt') || getAttribute(tree, i, 'aria-label');
    if (alt) return alt;
  }
  return '';
}
