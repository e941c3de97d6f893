import { findBlocks, listBlocks } from '../content/blocks/blocks.ts';
import { selectContent, type PageContent, type SecondOpinion } from '../content/select-content.ts';
import { findStatedText } from '../content/stated-text.ts';
import { insertRuns } from '../content/symbol-runs.ts';
import type {
  ContentBlock,
  Evidence,
  Extraction,
  ExtractOptions,
  FieldEvidence,
  PageType,
} from '../types/extraction.ts';
import { extractFields, type Fields } from '../fields/extract-fields.ts';
import { listImages } from '../fields/media/images.ts';
import { listLinks } from '../fields/media/links.ts';
import { collectSignals } from '../page/signals.ts';
import { collapse, getNodeText } from '../tree/text/node-text.ts';
import { skipHiddenStart } from '../tree/text/is-unseen.ts';
import { createUrlResolver, type UrlResolver } from '../tree/url-resolver.ts';
import { cutSignatures } from '../refine/cut-signatures.ts';
import { keepCaptions, keepGalleries } from '../refine/keep-captions.ts';
import { keepCode } from '../refine/keep-code.ts';
import { keepRowHeaders } from '../refine/keep-row-headers.ts';
import { leaveOutHeader, leaveOutLastHeading, leaveOutName } from '../refine/leave-out-header.ts';
import { findContentImages } from '../render/layout/find-content-images.ts';
import { holdsContent } from '../render/layout/holds-content.ts';
import { renderFormats } from '../render/render-formats.ts';
import { renderText } from '../render/text/render-text.ts';
import { detach } from '../tree/detach.ts';
import { showAll } from '../tree/hiding/find-hidden.ts';
import { isImage } from '../tree/is-image.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';
import { readAsides } from './read-asides.ts';

const MAX_NODES = 2_000_000;
const MAX_LINK_NODES = 50;
/** Below this confidence or length, a page may be an application before its scripts run. */
const DOUBTFUL = 0.6;
const SHORT = 300;
const SAMPLE = 2_000;
/** Characters. A hidden title is no content that scripts reveal. */
const LEAST_UNVEILED = 60;
/** Characters of hidden content beside a title that is shown; Chinese text is short. */
const LEAST_BESIDE = 150;
/** Texts that somebody injected are one paragraph. */
const LEAST_BLOCKS = 3;
/** Nodes. Smaller articles look like these types, which have neither author nor date. */
const SMALL_PAGE = 300;
const LIKE_SMALL: ReadonlySet<PageType> = new Set(['service', 'listing']);
/** Characters. */
const MAX_ERROR_TEXT = 500;
/** Expected word F1 of text from the page's data. */
const STATED_CONFIDENCE = 0.8;
const NO_CONTENT: PageContent = { blocks: [], pageType: 'article', confidence: 0, symbolRuns: [], isTopicIndex: false };

/**
 * Extracts the main content and the fields of a page.
 *
 * @param html source or serialised DOM; any string
 */
export function extract(html: string, options: ExtractOptions = {}): Extraction {
  return extractTree(parseTree(html), options);
}

export function extractTree(tree: Tree, options: ExtractOptions = {}): Extraction {
  return extractContent(tree, options).extraction;
}

export interface ExtractedContent {
  readonly extraction: Extraction;
  readonly blocks: readonly ContentBlock[];
}

/** Like `extractTree`, with the location of the main text. */
export function extractContent(page: Tree, options: ExtractOptions = {}, askSecond?: SecondOpinion): ExtractedContent {
  const shown = options.hiddenText === 'keep' ? showAll(page) : page;
  const isTooLarge = page.size > (options.maxNodes ?? MAX_NODES);
  const chosenOfShown = isTooLarge ? NO_CONTENT : selectContent(shown, options.url ?? '', options.favor, askSecond);
  // If next to nothing is visible, scripts probably reveal the content.
  const shownLength = countCharacters(shown, chosenOfShown.blocks);
  const mayUnveil = shownLength < LEAST_UNVEILED && shown.hidden.length > 0 && !isTooLarge;
  const unveiled = mayUnveil ? unveil(page, shownLength, options, askSecond) : undefined;
  const { tree, content } = unveiled ?? { tree: shown, content: chosenOfShown };
  const { pageType, confidence } = content;
  const chosen = keepRowHeaders(tree, tree.hidden.length > 0 ? cutHiddenStarts(tree, content.blocks) : content.blocks);
  const posts = pageType === 'forum' ? cutSignatures(tree, chosen) : chosen;
  const selected = keepCode(tree, keepGalleries(tree, posts));
  const signals = collectSignals(tree);
  const urls = createUrlResolver(options.url, signals.baseHref);
  const fields = extractFields(tree, signals, urls, {
    contentLanguage: options.contentLanguage,
    mainText: sampleText(tree, selected),
    isTopicIndex: content.isTopicIndex,
    pageType: isTooLarge || (tree.size < SMALL_PAGE && LIKE_SMALL.has(pageType)) ? undefined : pageType,
  });
  const ended = leaveOutLastHeading(tree, selected, pageType);
  const lead = fields.isDiscussion ? ended : leaveOutHeader(tree, ended, fields);
  const body = pageType === 'product' ? leaveOutName(tree, lead, fields) : lead;
  // Symbol runs inside a removed header are removed too.
  const start = lead === ended ? 0 : lead[0].first;
  const symbolRuns = content.symbolRuns.filter((run) => run.first >= start);
  const blocks = insertRuns(body, symbolRuns);
  const mainText = renderText(tree, blocks);
  const stated = confidence < DOUBTFUL || mainText.length < SHORT ? findStatedText(tree) : undefined;
  const captioned = keepCaptions(tree, blocks);
  const isInMain = createMembership(tree, stated === undefined ? captioned : []);
  const rendered =
    stated === undefined
      ? { mainText, confidence, ...renderFormats(tree, captioned, options, urls, fields.title) }
      : renderStated(stated, options, urls, fields.title);
  const asides = readAsides(tree, urls, options, { ...rendered, pageType, language: fields.language, signals });
  // What an error page says is no content; what was sold out or filled may still be described.
  const isError = rendered.mainText.length <= MAX_ERROR_TEXT && asides.warnings.some(({ code }) => code === 'soft_404');
  const output = isError ? { mainText: '', confidence, ...renderFormats(tree, [], options, urls, null) } : rendered;
  const isShown = isError ? (): boolean => false : isInMain;
  const extraction: Extraction = {
    ...detachFields(fields),
    ...output,
    links: listLinks(tree, signals.anchors, urls, isShown),
    images: listImages(tree, signals.images, urls, isShown),
    pageType,
    ...asides,
    ...(isError ? { tokenEstimate: 0 } : {}),
  };
  return { extraction, blocks: stated === undefined && !isError ? blocks : [] };
}

function cutHiddenStarts(tree: Tree, blocks: readonly ContentBlock[]): ContentBlock[] {
  return blocks.flatMap((block) => {
    const first = skipHiddenStart(tree, block.element, block.first);
    if (first === block.first) return [block];
    return first < block.end ? [{ ...block, first }] : [];
  });
}

/** The hidden content of a page that shows next to nothing; undefined if there is too little. */
function unveil(
  page: Tree,
  shownLength: number,
  options: ExtractOptions,
  askSecond: SecondOpinion | undefined,
): { readonly tree: Tree; readonly content: PageContent } | undefined {
  const tree = showAll(page);
  const content = selectContent(tree, options.url ?? '', options.favor, askSecond);
  if (shownLength > 0 && content.blocks.length < LEAST_BLOCKS) return undefined;
  const length = countCharacters(tree, content.blocks);
  return length >= (shownLength === 0 ? LEAST_UNVEILED : LEAST_BESIDE) ? { tree, content } : undefined;
}

/** Up to what the limits above need. */
function countCharacters(tree: Tree, blocks: readonly ContentBlock[]): number {
  return sampleText(tree, blocks, SHORT).trim().length;
}

/** Cheaper than rendering the whole text. */
function sampleText(tree: Tree, blocks: readonly ContentBlock[], most = SAMPLE): string {
  let text = '';
  for (const { first, end } of blocks) {
    for (let node = first; node < end; node++) if (tree.tag[node] === TEXT) text += collapse(tree.value[node]) + ' ';
    if (text.length >= most) break;
  }
  return text;
}

function renderStated(
  stated: string,
  options: ExtractOptions,
  urls: UrlResolver,
  title: string | null,
): Pick<Extraction, 'mainText' | 'confidence' | 'markdown' | 'html' | 'chunks'> {
  const tree = parseTree(stated);
  const blocks = listBlocks(findBlocks(tree));
  return {
    mainText: renderText(tree, blocks),
    confidence: STATED_CONFIDENCE,
    ...renderFormats(tree, blocks, options, urls, title),
  };
}

export type ExtractedFields = Pick<
  Extraction,
  'title' | 'description' | 'publishTime' | 'author' | 'language' | 'evidence'
>;

export function extractTreeFields(
  tree: Tree,
  mainText: string,
  options: ExtractOptions & { readonly pageType?: PageType | undefined } = {},
): ExtractedFields {
  const signals = collectSignals(tree);
  const urls = createUrlResolver(options.url, signals.baseHref);
  const { contentLanguage, pageType } = options;
  return detachFields(extractFields(tree, signals, urls, { contentLanguage, mainText, pageType }));
}

function detachFields(fields: Fields): ExtractedFields {
  return {
    title: detachField(fields.title),
    description: detachField(fields.description),
    publishTime: detachField(fields.publishTime),
    author: detachField(fields.author),
    language: detachField(fields.language),
    evidence: listEvidence(fields),
  };
}

function createMembership(tree: Tree, blocks: readonly ContentBlock[]): (node: number) => boolean {
  const images = findContentImages(tree, blocks);
  return (node) =>
    isImage(tree, node)
      ? images.has(node)
      : holdsContent(tree, blocks, node) || (holdsImage(tree, images, node) && getNodeText(tree, node) === '');
}

function holdsImage(tree: Tree, images: ReadonlySet<number>, node: number): boolean {
  const end = Math.min(tree.end[node], node + MAX_LINK_NODES);
  for (let inner = node + 1; inner < end; inner++) if (images.has(inner)) return true;
  return false;
}

function listEvidence({ evidence }: Fields): Evidence {
  return {
    title: toWellFormedEvidence(evidence.title),
    description: toWellFormedEvidence(evidence.description),
    publish_time: toWellFormedEvidence(evidence.publishTime),
    author: toWellFormedEvidence(evidence.author),
    language: toWellFormedEvidence(evidence.language),
  };
}

function detachField(value: string | null): string | null {
  return value === null ? null : detach(value);
}

/** A cut candidate may end in half a surrogate pair. */
function toWellFormedEvidence({ source, rivals }: FieldEvidence): FieldEvidence {
  return {
    source: source === null ? null : detach(source.toWellFormed()),
    rivals: rivals.map((rival) => ({
      ...rival,
      source: detach(rival.source.toWellFormed()),
      value: detach(rival.value.toWellFormed()),
    })),
  };
}
