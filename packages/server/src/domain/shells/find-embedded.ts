import { findBase } from './find-refresh.ts';
import { readOutline } from './read-outline.ts';

/** Characters; the text around embedded documents that are all a page shows. */
const MAX_TEXT = 300;
/** Characters of own text from which on the extraction reads no frames. */
export const TEXT_WITHOUT_FRAMES = 400;
const MAX_ELEMENTS = 100;

/** Up to a captured `srcdoc`, which contains markup. Skips what browsers with scripts do not show. */
const EMBEDDING =
  /<!--[^]*?(?:-->|$)|<(script|style|noscript)(?=[\s/>])[^]*?(?:<\/\1|$)|<(embed|object|iframe|frame)\b([^<>]{1,4000})/gi;
const ADDRESS = /(?<![\w-])(?:src|data)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const SRCDOC = /(?<![\w-])srcdoc\s*=/i;
/** Of what an `object` or `embed` shows, unless it is a page. */
const OTHER_TYPE = /(?<![\w-])(?:type\s*=\s*["']?(?!text\/html|application\/xhtml)[^\s"'>]|classid\s*=)/i;
const PDF_TYPE = /(?<![\w-])type\s*=\s*["']?application\/(?:x-)?pdf\b/i;
const PDF_PATH = /\.pdf$/i;
/** Parameters in which viewers get the address of the document. */
const VIEWED = ['file', 'url', 'src', 'pdf', 'document'];

interface Embedding {
  readonly isFrame: boolean;
  readonly attributes: string;
  /** Where the attributes start. */
  readonly at: number;
  readonly url: URL;
}

/** Finds the one PDF that a page with next to no text of its own embeds or shows in a viewer. */
export function findEmbeddedDocument(html: string, pageUrl: string): URL | undefined {
  if (!/pdf/i.test(html)) return undefined;
  const found = new Map<string, URL>();
  for (const embedding of listEmbeddings(html, pageUrl)) {
    const url = readDocument(embedding);
    if (url !== undefined) found.set(url.href, url);
  }
  const [only] = found.values();
  return found.size === 1 && showsNothingElse(html) ? only : undefined;
}

/** How browsers leave a frame whose document they would download. */
const EMPTY_DOCUMENT = '<html><head></head><body></body></html>"';

/** Finds the only frame of a rendered page that shows nothing: it may be a document. */
export function findEmptyFrame(html: string, pageUrl: string): URL | undefined {
  const [frame, ...others] = listEmbeddings(html, pageUrl);
  if (!frame?.isFrame || others.length > 0) return undefined;
  const { attributes, at, url } = frame;
  const isEmpty = !SRCDOC.test(attributes) || html.startsWith(EMPTY_DOCUMENT, at + attributes.length);
  return isEmpty && showsNothingElse(html) ? url : undefined;
}

/** Lists the frames without a document in the markup of a page with little text of its own. */
export function findUnreadFrames(html: string, pageUrl: string): Embedding[] {
  const frames = listEmbeddings(html, pageUrl).filter(({ isFrame, attributes }) => isFrame && !SRCDOC.test(attributes));
  return frames.length > 0 && readOutline(html).ownText < TEXT_WITHOUT_FRAMES ? frames : [];
}

/** Tests for next to no text of the page's own. */
export function showsNothingElse(html: string): boolean {
  return readOutline(html).ownText <= MAX_TEXT;
}

function listEmbeddings(html: string, pageUrl: string): Embedding[] {
  const found: Embedding[] = [];
  let baseUrl: string | undefined;
  for (const { 2: name, 3: attributes = '', index } of html.matchAll(EMBEDDING)) {
    if (name === undefined) continue;
    const [, ...values] = ADDRESS.exec(attributes) ?? [];
    const address = values.find((value) => value !== undefined)?.replaceAll('&amp;', '&') ?? '';
    const url = address === '' ? null : URL.parse(address, (baseUrl ??= findBase(html, pageUrl)));
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    found.push({
      isFrame: /frame/i.test(name) || !OTHER_TYPE.test(attributes),
      attributes,
      at: index + 1 + name.length,
      url,
    });
    if (found.length === MAX_ELEMENTS) break;
  }
  return found;
}

function readDocument({ attributes, url }: Embedding): URL | undefined {
  for (const name of VIEWED) {
    const viewed = URL.parse(url.searchParams.get(name) ?? '', url.href);
    if (viewed !== null && PDF_PATH.test(viewed.pathname) && viewed.pathname !== url.pathname) return viewed;
  }
  return PDF_TYPE.test(attributes) || PDF_PATH.test(url.pathname) ? url : undefined;
}
