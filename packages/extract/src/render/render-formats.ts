import type { Root } from 'mdast';
import type { ContentBlock, Extraction, ExtractOptions } from '../types/extraction.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';
import { applyMarkdownOptions } from './markdown/apply-markdown-options.ts';
import { chunkMarkdown } from './markdown/chunk-markdown.ts';
import { buildMarkdown, writeMarkdown } from './markdown/render-markdown.ts';
import { renderCleanHtml } from './render-clean-html.ts';
import type { Tree } from '../tree/tree.ts';

/** `title` becomes the first heading of the Markdown if `options.markdown.title` is set. */
export function renderFormats(
  tree: Tree,
  blocks: readonly ContentBlock[],
  options: ExtractOptions,
  urls: UrlResolver,
  title: string | null,
): Pick<Extraction, 'markdown' | 'html' | 'chunks'> {
  const { formats = [], markdown: choices = {}, chunks } = options;
  const wantsMarkdown = formats.includes('markdown');
  const document: Root =
    wantsMarkdown || chunks !== undefined ? buildMarkdown(tree, blocks, urls) : { type: 'root', children: [] };
  applyMarkdownOptions(document, choices, title);
  return {
    ...(wantsMarkdown ? { markdown: writeMarkdown(document) } : {}),
    ...(formats.includes('html') ? { html: renderCleanHtml(tree, blocks, urls) } : {}),
    ...(chunks === undefined
      ? {}
      : { chunks: chunkMarkdown(document, chunks, (children) => writeMarkdown({ type: 'root', children })) }),
  };
}
