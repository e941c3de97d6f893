import { escapeAttribute } from 'entities';
import { BoundedParser } from '@winnow/extract/parsing';
import { serialize, defaultTreeAdapter as adapter, html as markup, type DefaultTreeAdapterTypes } from 'parse5';

const { NS } = markup;

type TreeTypes = DefaultTreeAdapterTypes.DefaultTreeAdapterMap;
type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const SERVING_RELATIONS = new Set(['stylesheet', 'modulepreload']);
/** Depending on `as`. */
const FETCHING_RELATIONS = new Set(['preload', 'prefetch']);
const SERVED_KINDS = new Set(['script', 'style']);

/** A removal can form a new tag; after this many rounds the tree is serialised. */
const MAX_ROUNDS = 5;

const MAX_DEPTH = 8;

/**
 * Characters parsed per character of the page: nested documents are parsed repeatedly, so a malicious page needs a
 * limit.
 */
const MAX_READINGS = 16;

interface Nesting {
  readonly depth: number;
  readonly allowance: { left: number };
}

/**
 * Removes script and style elements and links that fetch them, also in `noscript` and `srcdoc`. The rest stays byte for
 * byte.
 */
export function filterScriptsStyles(html: string): string {
  return filterDocument(html, { depth: 0, allowance: { left: MAX_READINGS * html.length } });
}

function filterDocument(html: string, nesting: Nesting): string {
  let text = html;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    nesting.allowance.left -= text.length;
    const edits = findEdits(text, nesting);
    if (edits.length === 0) return text;
    text = apply(text, edits);
  }
  return serializeWithout(text, nesting);
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

function findEdits(html: string, nesting: Nesting): Edit[] {
  const { unwanted, enclosing } = sortElements(BoundedParser.parse<TreeTypes>(html, { sourceCodeLocationInfo: true }));
  const edits: Edit[] = [];
  for (const element of unwanted) {
    const location = element.sourceCodeLocation;
    if (!location) continue;
    const end = swallowsRest(element) ? html.length : location.endOffset;
    edits.push({ start: location.startOffset, end, replacement: '' });
  }
  for (const element of enclosing) {
    const { inner, place, quote } = openEnclosure(element);
    const filtered = filterInner(inner, nesting);
    if (place === undefined || filtered === inner) continue;
    edits.push({ start: place.startOffset, end: place.endOffset, replacement: quote(filtered) });
  }
  return edits.toSorted((a, b) => a.start - b.start);
}

/** An unclosed HTML script or style extends to the end. */
function swallowsRest(element: Element): boolean {
  const isHtml = element.namespaceURI === NS.HTML && element.tagName !== 'link';
  return isHtml && element.sourceCodeLocation?.endTag === undefined;
}

function apply(html: string, edits: readonly Edit[]): string {
  let kept = '';
  let position = 0;
  for (const { start, end, replacement } of edits) {
    if (start >= position) kept += html.slice(position, start) + replacement;
    position = Math.max(position, end);
  }
  return kept + html.slice(position);
}

function serializeWithout(html: string, nesting: Nesting): string {
  const document = BoundedParser.parse<TreeTypes>(html);
  const { unwanted, enclosing } = sortElements(document);
  for (const element of unwanted) adapter.detachNode(element);
  for (const element of enclosing) {
    const { inner, put } = openEnclosure(element);
    put(filterInner(inner, nesting));
  }
  return serialize(document);
}

/** An element that holds markup as text. */
interface Enclosure {
  readonly inner: string;
  readonly place: { readonly startOffset: number; readonly endOffset: number } | undefined;
  readonly quote: (filtered: string) => string;
  readonly put: (filtered: string) => void;
}

function openEnclosure(element: Element): Enclosure {
  return element.tagName === 'noscript' ? openNoscript(element) : openSrcdoc(element);
}

/** Handles `noscript`, whose content is text while scripting is enabled. */
function openNoscript(element: Element): Enclosure {
  return {
    inner: element.childNodes.map((child) => ('value' in child ? child.value : '')).join(''),
    place: findInside(element),
    quote: (filtered) => filtered,
    put: (filtered) => {
      element.childNodes = [];
      adapter.insertText(element, filtered);
    },
  };
}

function openSrcdoc(element: Element): Enclosure {
  return {
    inner: element.attrs.find(({ name }) => name === 'srcdoc')?.value ?? '',
    place: element.sourceCodeLocation?.attrs?.['srcdoc'],
    quote: (filtered) => `srcdoc="${escapeAttribute(filtered)}"`,
    put: (filtered) => {
      for (const attr of element.attrs) if (attr.name === 'srcdoc') attr.value = filtered;
    },
  };
}

function filterInner(inner: string, { depth, allowance }: Nesting): string {
  const isLeftOut = depth === MAX_DEPTH || inner.length > allowance.left;
  return isLeftOut ? '' : filterDocument(inner, { depth: depth + 1, allowance });
}

function findInside(element: Element): { startOffset: number; endOffset: number } | undefined {
  const { startTag, endTag, endOffset } = element.sourceCodeLocation ?? {};
  if (startTag === undefined || endOffset === undefined) return undefined;
  return { startOffset: startTag.endOffset, endOffset: endTag?.startOffset ?? endOffset };
}

interface Sorted {
  readonly unwanted: Element[];
  readonly enclosing: Element[];
}

/** Collects elements without recursion: pages may nest deeper than the stack. */
function sortElements(document: Node): Sorted {
  const sorted: Sorted = { unwanted: [], enclosing: [] };
  const waiting: Node[] = [document];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (isElement(node) && isUnwanted(node)) {
      sorted.unwanted.push(node);
      continue;
    }
    if (isElement(node) && isEnclosing(node)) sorted.enclosing.push(node);
    if ('content' in node) waiting.push(node.content);
    if ('childNodes' in node) for (const child of node.childNodes) waiting.push(child);
  }
  return sorted;
}

function isEnclosing(element: Element): boolean {
  if (element.namespaceURI !== NS.HTML) return false;
  return element.tagName === 'noscript' || element.attrs.some(({ name }) => name === 'srcdoc');
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

function isUnwanted(element: Element): boolean {
  if (element.tagName === 'script' || element.tagName === 'style') return true;
  if (element.tagName !== 'link') return false;
  const relations = attribute(element, 'rel').split(/\s+/);
  if (relations.some((relation) => SERVING_RELATIONS.has(relation))) return true;
  return relations.some((relation) => FETCHING_RELATIONS.has(relation)) && SERVED_KINDS.has(attribute(element, 'as'));
}

function attribute(element: Element, name: string): string {
  return (
    element.attrs
      .find((attr) => attr.name === name)
      ?.value.trim()
      .toLowerCase() ?? ''
  );
}
