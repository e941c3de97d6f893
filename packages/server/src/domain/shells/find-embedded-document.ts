import { readOutline } from './read-outline.ts';

/** Characters; the text around an embedded document. */
const MAX_TEXT = 300;
const MAX_ELEMENTS = 100;

const MENTION = /pdf/i;
/** Up to a captured `srcdoc`, which contains markup. */
const EMBEDDING = /<(?:embed|object|iframe|frame)\b([^<>]{1,4000})/gi;
const ADDRESS = /(?<![\w-])(?:src|data)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const PDF_TYPE = /(?<![\w-])type\s*=\s*["']?application\/(?:x-)?pdf\b/i;
const PDF_PATH = /\.pdf$/i;
/** Parameters in which viewers get the address of the document. */
const VIEWED = ['file', 'url', 'src', 'pdf', 'document'];

/** Finds the one PDF that a page with next to no text of its own embeds or shows in a viewer. */
export function findEmbeddedDocument(html: string, pageUrl: string): URL | undefined {
  if (!MENTION.test(html)) return undefined;
  const found = new Map<string, URL>();
  let count = 0;
  for (const [, attributes = ''] of html.matchAll(EMBEDDING)) {
    count += 1;
    if (count > MAX_ELEMENTS) return undefined;
    const url = readTarget(attributes, pageUrl);
    if (url !== undefined) found.set(url.href, url);
  }
  const [only] = found.values();
  return found.size === 1 && readOutline(html).ownText <= MAX_TEXT ? only : undefined;
}

function readTarget(attributes: string, pageUrl: string): URL | undefined {
  const [, ...values] = ADDRESS.exec(attributes) ?? [];
  const address = values.find((value) => value !== undefined)?.replaceAll('&amp;', '&') ?? '';
  const url = address === '' ? null : URL.parse(address, pageUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  for (const name of VIEWED) {
    const viewed = URL.parse(url.searchParams.get(name) ?? '', url.href);
    if (viewed !== null && PDF_PATH.test(viewed.pathname) && viewed.pathname !== url.pathname) return viewed;
  }
  return PDF_TYPE.test(attributes) || PDF_PATH.test(url.pathname) ? url : undefined;
}
