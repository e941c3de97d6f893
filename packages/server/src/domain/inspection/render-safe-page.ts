import { BoundedParser } from '@winnow/extract/parsing';
import { defaultTreeAdapter, html, serialize, type DefaultTreeAdapterTypes } from 'parse5';
import { AppError } from '../shared/errors.ts';

/** A second layer: the frame's sandbox and policy already block scripts, navigation and loading. */

/** Removed with their content. */
const DROPPED_ELEMENTS: ReadonlySet<string> = new Set(
  [
    ['script', 'noscript', 'template', 'object', 'embed', 'applet', 'audio', 'video', 'source', 'track'],
    ['iframe', 'frame', 'frameset', 'noframes', 'portal', 'fencedframe'],
    // Change the base, refresh or style.
    ['base', 'meta', 'link', 'title'],
    ['animate', 'animatemotion', 'animatetransform', 'set', 'discard'],
  ].flat(),
);

/** An allow list, so that future attributes are excluded. */
const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set(
  [
    ['class', 'id', 'style', 'dir', 'lang', 'title', 'alt', 'hidden', 'open', 'role'],
    ['width', 'height', 'align', 'valign', 'bgcolor', 'color', 'border', 'cellpadding', 'cellspacing'],
    ['colspan', 'rowspan', 'span', 'start', 'reversed', 'type', 'value', 'checked', 'disabled', 'selected'],
    ['placeholder', 'rows', 'cols', 'size', 'label', 'datetime', 'face', 'nowrap'],
    ['viewbox', 'viewBox', 'd', 'fill', 'stroke', 'stroke-width', 'x', 'y', 'x1', 'x2', 'y1', 'y2'],
    ['cx', 'cy', 'r', 'rx', 'ry', 'points', 'transform', 'xmlns', 'opacity', 'fill-rule', 'clip-rule'],
  ].flat(),
);

const EMBEDDED_IMAGE: RegExp = /^\s*data:image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/i;

/** The tree of a larger page exceeds a worker's memory. */
export const MAX_DRAWN_LENGTH = 6_000_000;

/** Browsers themselves stop at 512. */
export const MAX_DRAWN_DEPTH = 1500;

export type PageElement = DefaultTreeAdapterTypes.Element;
type PageNode = DefaultTreeAdapterTypes.Node;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** A parsed page with elements numbered in document order. */
export interface ParsedPage {
  readonly document: DefaultTreeAdapterTypes.Document;
  readonly elements: readonly PageElement[];
}

/** Mark (`main` or a field) → element numbers. */
export type PageMarks = Map<string, number[]>;

const NODE_ATTRIBUTE = 'data-node';
const MARK_ATTRIBUTE = 'data-mark';
const LINK_ATTRIBUTE = 'data-href';

/** @throws {AppError} `payload_too_large` */
export function parsePage(text: string): ParsedPage {
  if (text.length > MAX_DRAWN_LENGTH) {
    throw new AppError('payload_too_large', 'the page is too large for a preview; view its source instead');
  }
  const document = BoundedParser.parse<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>(text, {
    scriptingEnabled: false,
  });
  const elements: PageElement[] = [];
  collectElements(document, elements);
  return { document, elements };
}

/** Renders an inert page with outlined marks; changes the parsed page. */
export function renderSafePage(page: ParsedPage, marks: PageMarks): string {
  const marked = new Map<PageElement, string[]>();
  for (const [name, nodes] of marks) {
    for (const node of nodes) {
      const element = page.elements[node];
      if (element) marked.set(element, [...(marked.get(element) ?? []), name]);
    }
  }
  for (const [index, element] of page.elements.entries()) {
    element.attrs = safeAttributes(element);
    element.attrs.push({ name: NODE_ATTRIBUTE, value: String(index) });
    const names = marked.get(element);
    if (names) element.attrs.push({ name: MARK_ATTRIBUTE, value: names.join(' ') });
  }
  dropUnsafe(page.document);
  addStyle(page.document);
  return `<!doctype html>${serialize(page.document).replace(/^<!doctype[^>]*>/i, '')}`;
}

function safeAttributes(element: PageElement): PageElement['attrs'] {
  return element.attrs.flatMap((attribute) => {
    const { name, value } = attribute;
    if (name === 'href' && element.tagName === 'a') return { name: LINK_ATTRIBUTE, value };
    if (name === 'src' && element.tagName === 'img') return EMBEDDED_IMAGE.test(value) ? attribute : [];
    if (KEPT_ATTRIBUTES.has(name) || name.startsWith('aria-')) return attribute.prefix === undefined ? attribute : [];
    return [];
  });
}

function dropUnsafe(parent: ParentNode): void {
  parent.childNodes = parent.childNodes.filter((child) => !isDropped(child));
  for (const child of parent.childNodes) if (defaultTreeAdapter.isElementNode(child)) dropUnsafe(child);
}

function isDropped(node: PageNode): boolean {
  if (defaultTreeAdapter.isElementNode(node)) return DROPPED_ELEMENTS.has(node.tagName.toLowerCase());
  return defaultTreeAdapter.isCommentNode(node);
}

/** A preview loads no style sheets: without them, a picture as icon fills the frame. Rules of the page win. */
const ICONS = `:where(svg:not([width], [height]), svg[width$='%']) { width: 1.5em; height: 1.5em; }`;

const STYLE = `
${ICONS}
a[${LINK_ATTRIBUTE}] { text-decoration: underline; cursor: default; }
[${MARK_ATTRIBUTE}] { outline: 3px solid #d9480f !important; outline-offset: -1px !important; background-color: rgba(255, 190, 120, 0.22) !important; }
[${MARK_ATTRIBUTE}~="main"] { outline-color: #0b7285 !important; background-color: rgba(120, 220, 235, 0.16) !important; }
`;

function addStyle(document: ParsedPage['document']): void {
  const root = document.childNodes.find((node) => defaultTreeAdapter.isElementNode(node));
  if (!root || !defaultTreeAdapter.isElementNode(root)) return;
  const style = defaultTreeAdapter.createElement('style', html.NS.HTML, []);
  defaultTreeAdapter.insertText(style, STYLE);
  defaultTreeAdapter.appendChild(root, style);
}

function collectElements(document: ParsedPage['document'], elements: PageElement[]): void {
  // Without recursion: hostile pages nest deeper than the stack.
  const pending: { node: PageNode; depth: number }[] = [{ node: document, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (depth > MAX_DRAWN_DEPTH) {
      throw new AppError('payload_too_large', 'the page nests too deeply for a preview; view its source instead');
    }
    if (defaultTreeAdapter.isElementNode(node)) elements.push(node);
    if ('childNodes' in node)
      for (const child of node.childNodes.toReversed()) pending.push({ node: child, depth: depth + 1 });
  }
}
