import type { ContentBlock, Extraction, ExtractOptions } from '../types/extraction.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';
import { renderCleanHtml } from './render-clean-html.ts';
import { renderMarkdown } from './markdown/render-markdown.ts';
import type { Tree } from '../tree/tree.ts';

/** The requested renderings. */
export function renderFormats(
  tree: Tree,
  blocks: readonly ContentBlock[],
  options: ExtractOptions,
  urls: UrlResolver,
): Pick<Extraction, 'markdown' | 'html'> {
  const formats = options.formats ?? [];
  return {
    ...(formats.includes('markdown') ? { markdown: renderMarkdown(tree, blocks, urls) } : {}),
    ...(formats.includes('html') ? { html: renderCleanHtml(tree, blocks, urls) } : {}),
  };
}
