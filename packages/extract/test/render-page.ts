import { createUrlResolver } from '../src/fields/url-resolver.ts';
import { keepCode } from '../src/refine/keep-code.ts';
import { renderMarkdown } from '../src/render/render-markdown.ts';
import { renderText } from '../src/render/render-text.ts';
import { parseTree } from '../src/tree/parse-tree.ts';
import { selectEverything } from './select-everything.ts';

/** The Markdown and the plain text of a page, as if all of it were its main content. */
export function renderPage(html: string): { readonly markdown: string; readonly mainText: string } {
  const tree = parseTree(html);
  const blocks = keepCode(tree, selectEverything(tree));
  const urls = createUrlResolver('https://example.org/a/', null);
  return { markdown: renderMarkdown(tree, blocks, urls), mainText: renderText(tree, blocks) };
}
