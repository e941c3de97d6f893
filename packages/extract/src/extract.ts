import { selectContent, type PageContent } from './content/select-content.ts';
import type { ContentBlock, Evidence, Extraction, ExtractOptions, FieldEvidence } from './extraction.ts';
import { extractFields, type Fields } from './fields/extract-fields.ts';
import { collectSignals } from './fields/signals.ts';
import { createUrlResolver } from './fields/url-resolver.ts';
import { findContentImages } from './render/find-content-images.ts';
import { renderCleanHtml } from './render/render-clean-html.ts';
import { renderMarkdown } from './render/render-markdown.ts';
import { renderText } from './render/render-text.ts';
import { parseTree } from './tree/parse-tree.ts';
import { TAG } from './tree/tags.ts';
import type { Tree } from './tree/tree.ts';

const MAX_NODES = 2_000_000;
const NO_CONTENT: PageContent = { blocks: [], pageType: 'article', confidence: 0 };

/**
 * Extracts a page: its main content and its fields.
 *
 * @param html the page's source or serialised DOM; any string, never throws on bad markup
 * @param options what is known besides, and which extra renderings are wanted
 * @returns the structured page; `mainText` is '' when the page has no content of its own
 */
export function extract(html: string, options: ExtractOptions = {}): Extraction {
  return extractTree(parseTree(html), options);
}

/** The same for a page that is already parsed. */
export function extractTree(tree: Tree, options: ExtractOptions = {}): Extraction {
  const isTooLarge = tree.size > (options.maxNodes ?? MAX_NODES);
  const { blocks, pageType, confidence } = isTooLarge ? NO_CONTENT : selectContent(tree, options.url ?? '');
  const mainText = renderText(tree, blocks);
  const signals = collectSignals(tree);
  const fields = extractFields(tree, signals, {
    url: options.url,
    contentLanguage: options.contentLanguage,
    mainText,
    isInMain: createMembership(tree, blocks),
  });
  return {
    title: fields.title,
    description: fields.description,
    mainText,
    publishTime: fields.publishTime,
    author: fields.author,
    language: fields.language,
    links: fields.links.map(({ inMain, ...link }) => ({ ...link, in_main: inMain })),
    images: fields.images.map(({ inMain, ...image }) => ({ ...image, in_main: inMain })),
    pageType,
    confidence,
    evidence: listEvidence(fields),
    ...renderFormats(tree, blocks, signals.baseHref, options),
  };
}

/** Whether a node holds a part of the main content or, for an image, stands in it. */
function createMembership(tree: Tree, blocks: readonly ContentBlock[]): (node: number) => boolean {
  const images = findContentImages(tree, blocks);
  return (node) => (tree.tag[node] === TAG.img ? images.has(node) : holdsContent(tree, blocks, node));
}

/** Blocks are in document order: a search by halves finds the first that ends after the node starts. */
function holdsContent(tree: Tree, blocks: readonly ContentBlock[], node: number): boolean {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.end > node) high = middle;
    else low = middle + 1;
  }
  const block = blocks[low];
  return block !== undefined && block.first < tree.end[node]!;
}

function listEvidence({ evidence }: Fields): Evidence {
  return {
    title: mend(evidence.title),
    description: mend(evidence.description),
    publish_time: mend(evidence.publishTime),
    author: mend(evidence.author),
    language: mend(evidence.language),
  };
}

/** Candidates are cut to a length, which may fall between the halves of a character. */
function mend({ source, rivals }: FieldEvidence): FieldEvidence {
  return {
    source: source === null ? null : source.toWellFormed(),
    rivals: rivals.map((rival) => ({
      ...rival,
      source: rival.source.toWellFormed(),
      value: rival.value.toWellFormed(),
    })),
  };
}

function renderFormats(
  tree: Tree,
  blocks: readonly ContentBlock[],
  baseHref: string | null,
  { url, formats }: ExtractOptions,
): Pick<Extraction, 'markdown' | 'html'> {
  if (formats === undefined || formats.length === 0) return {};
  const urls = createUrlResolver(url, baseHref);
  return {
    ...(formats.includes('markdown') ? { markdown: renderMarkdown(tree, blocks, urls) } : {}),
    ...(formats.includes('html') ? { html: renderCleanHtml(tree, blocks, urls) } : {}),
  };
}
