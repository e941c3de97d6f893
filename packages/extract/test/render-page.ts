import type { ContentBlock } from '../src/types/extraction.ts';
import { createUrlResolver } from '../src/tree/url-resolver.ts';
import { keepCode } from '../src/refine/keep-code.ts';
import { renderMarkdown } from '../src/render/markdown/render-markdown.ts';
import { renderText } from '../src/render/text/render-text.ts';
import { parseTree } from '../src/tree/parse/parse-tree.ts';
import { selectEverything } from './select-everything.ts';

/** Renders a page as if all of it, or the given blocks, were main content. */
export function renderPage(
  html: string,
  chosen?: readonly ContentBlock[],
): { readonly markdown: string; readonly mainText: string } {
  const tree = parseTree(html);
  const blocks = keepCode(tree, chosen ?? selectEverything(tree));
  const urls = createUrlResolver('https://example.org/a/', null);
  return { markdown: renderMarkdown(tree, blocks, urls), mainText: renderText(tree, blocks) };
}
