import { parse, serialize, defaultTreeAdapter as adapter, html as markup } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';

const { NS } = markup;

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Link relations that fetch a script or style sheet, whatever else they say. */
const SERVING_RELATIONS = new Set(['stylesheet', 'modulepreload']);
/** Link relations that fetch a script or style sheet when `as` says so. */
const FETCHING_RELATIONS = new Set(['preload', 'prefetch']);
const SERVED_KINDS = new Set(['script', 'style']);

/** A removal can join text into a new tag; after this many rounds the tree is written out instead. */
const MAX_ROUNDS = 5;

/**
 * Removes script and style elements, and links that only fetch them. All else stays as it was written,
 * byte for byte: `noscript`, comments, inline `on*` handlers and `style` attributes included.
 */
export function filterScriptsStyles(html: string): string {
  let text = html;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ranges = findRanges(text);
    if (ranges.length === 0) return text;
    text = cut(text, ranges);
  }
  return serializeWithout(text);
}

type Range = readonly [start: number, end: number];

function findRanges(html: string): Range[] {
  const document = parse(html, { sourceCodeLocationInfo: true });
  const ranges: Range[] = [];
  for (const element of findUnwanted(document)) {
    const location = element.sourceCodeLocation;
    if (location) ranges.push([location.startOffset, swallowsRest(element) ? html.length : location.endOffset]);
  }
  return ranges.toSorted((a, b) => a[0] - b[0]);
}

/** An HTML script or style without an end tag goes on to the end of the document. */
function swallowsRest(element: Element): boolean {
  const isHtml = element.namespaceURI === NS.HTML && element.tagName !== 'link';
  return isHtml && element.sourceCodeLocation?.endTag === undefined;
}

function cut(html: string, ranges: readonly Range[]): string {
  let kept = '';
  let position = 0;
  for (const [start, end] of ranges) {
    if (start > position) kept += html.slice(position, start);
    position = Math.max(position, end);
  }
  return kept + html.slice(position);
}

function serializeWithout(html: string): string {
  const document = parse(html);
  for (const element of findUnwanted(document)) adapter.detachNode(element);
  return serialize(document);
}

/** Without recursion: pages nest deeper than a call stack. */
function findUnwanted(document: Node): Element[] {
  const found: Element[] = [];
  const waiting: Node[] = [document];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (isElement(node) && isUnwanted(node)) {
      found.push(node);
      continue;
    }
    if ('content' in node) waiting.push(node.content);
    if ('childNodes' in node) for (const child of node.childNodes) waiting.push(child);
  }
  return found;
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
