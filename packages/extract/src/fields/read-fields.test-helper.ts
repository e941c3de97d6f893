import type { Image, Link, PageType } from '../types/extraction.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { extractFields, type Fields } from './extract-fields.ts';
import { listImages } from './media/images.ts';
import { listLinks } from './media/links.ts';
import { collectSignals } from '../page/signals.ts';
import { createUrlResolver } from '../tree/url-resolver.ts';

/** Reads the fields, links and images of a page; everything counts as main content. */
export function readPageFields(
  html: string,
  url = 'https://www.example.com/blog/a-page-of-the-tests',
  mainText = '',
  pageType?: PageType,
): Fields & { links: Link[]; images: Image[] } {
  const tree = parseTree(html);
  const signals = collectSignals(tree);
  const urls = createUrlResolver(url, signals.baseHref);
  return {
    ...extractFields(tree, signals, urls, { mainText, pageType }),
    links: listLinks(tree, signals.anchors, urls, () => true),
    images: listImages(tree, signals.images, urls, () => true),
  };
}
