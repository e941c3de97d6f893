import { toHtml } from 'hast-util-to-html';
import type { ContentBlock } from '../types/extraction.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';
import type { Tree } from '../tree/tree.ts';
import { buildContentTree } from './content-tree/build-content-tree.ts';

/**
 * The selected blocks as clean HTML: allow-listed elements and attributes, absolute addresses, no active content;
 * '' without a selection.
 */
export function renderCleanHtml(tree: Tree, blocks: readonly ContentBlock[], urls: UrlResolver): string {
  return toHtml(buildContentTree(tree, blocks, urls)).toWellFormed();
}
