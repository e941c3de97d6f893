import { selectContent } from './content/select-content.ts';
import type { Extraction, ExtractOptions } from './extraction.ts';
import { TAG } from './tree/tags.ts';
import { getTextContent } from './tree/tree.ts';
import { parseTree } from './tree/parse-tree.ts';

/**
 * Extracts a page: its main content and its fields.
 *
 * @param html the page's source or serialised DOM; any string, never throws on bad markup
 * @param options what is known besides, and which extra renderings are wanted
 * @returns the structured page; `mainText` is '' when the page has no content of its own
 */
export function extract(html: string, options: ExtractOptions = {}): Extraction {
  const tree = parseTree(html);
  const content = selectContent(tree);
  void options;
  let mainText = '';
  for (const block of content.blocks) {
    let text = '';
    for (let i = block.first; i < block.end; i++) if (tree.tag[i] === 1) text += tree.value[i];
    mainText += (mainText === '' ? '' : '\n\n') + text.replaceAll(/\s+/g, ' ').trim();
  }
  const title = tree.tag.indexOf(TAG.title);
  return {
    title: title < 0 ? null : getTextContent(tree, title).replaceAll(/\s+/g, ' ').trim(),
    description: null,
    mainText,
    publishTime: null,
    author: null,
    language: null,
    links: [],
    images: [],
    pageType: content.pageType,
    confidence: content.confidence,
    evidence: {},
  };
}
