import type { TemplateSelectorDocument } from '@winnow/client';

/**
 * A stored page, parsed but not shown, so nothing runs or loads. Elements are numbered in document order, as in the
 * service's preview.
 */
export interface StoredDocument {
  readonly document: Document;
  readonly elements: readonly Element[];
  /** Number of an element, or -1. */
  readonly numberOf: (element: Element) => number;
}

export function parseStored(html: string): StoredDocument {
  const document = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
  const elements = [...document.querySelectorAll('*')];
  const numbers = new Map(elements.map((element, index) => [element, index]));
  return { document, elements, numberOf: (element) => numbers.get(element) ?? -1 };
}

/** Replaces styles, which violate the CSP, with inert scripts: elements keep their numbers. */
function withoutStyles(html: string): string {
  return html
    .replaceAll(/<style(?=[\s/>])/gi, '<script type="text/plain"')
    .replaceAll(/<\/style(?=[\s/>])/gi, '</script')
    .replaceAll(/\sstyle\s*=/gi, ' data-style=');
}

/** Returns the numbers of the matches; undefined if the browser cannot run the selector. */
export function findHits(
  page: StoredDocument,
  selector: Pick<TemplateSelectorDocument, 'css' | 'xpath'>,
): number[] | undefined {
  try {
    if (selector.css !== undefined) return [...page.document.querySelectorAll(selector.css)].map(page.numberOf);
    if (selector.xpath !== undefined) return evaluateXPath(page, selector.xpath);
  } catch {
    // The browser rejects this selector.
  }
  return undefined;
}

function evaluateXPath(page: StoredDocument, xpath: string): number[] {
  const found = page.document.evaluate(xpath, page.document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const hits: number[] = [];
  for (let index = 0; index < found.snapshotLength; index += 1) {
    const node = found.snapshotItem(index);
    const element = node instanceof Element ? node : node instanceof Attr ? node.ownerElement : node?.parentElement;
    if (element) hits.push(page.numberOf(element));
  }
  return hits;
}

export function readNodeValue(element: Element, attribute: string | undefined): string {
  const text = attribute === undefined ? element.textContent : element.getAttribute(attribute);
  return (text ?? '').replaceAll(/\s+/g, ' ').trim();
}
