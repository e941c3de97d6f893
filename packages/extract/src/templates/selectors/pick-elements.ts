import { compile } from 'css-select';
import { parse } from 'css-what';
import { defaultTreeAdapter, html as markup, serialize } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { BoundedParser } from '../../tree/parse/bounded-parser.ts';
import { SelectorBudgetExceeded } from '../format/template.ts';
import { refuseUnsupported } from './css-selector.ts';

export interface ElementChoice {
  /** Empty: everything is kept. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

type TreeTypes = DefaultTreeAdapterTypes.DefaultTreeAdapterMap;
type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type ChildNode = DefaultTreeAdapterTypes.ChildNode;
type Matches = (element: Element) => boolean;

/** Visits of nodes by all selectors together: about a second. Selectors of siblings visit a node many times. */
const MAX_STEPS = 20_000_000;

const TABLE_PARTS: ReadonlySet<string> = new Set([
  'caption',
  'col',
  'colgroup',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
]);

/**
 * Returns the page without the excluded elements. If `include` is not empty, the outermost included elements become the
 * body; the head stays.
 * @throws {SelectorBudgetExceeded} for selectors that are too expensive on this page
 */
export function pickElements(html: string, { include, exclude }: ElementChoice): string {
  const document = BoundedParser.parse<TreeTypes>(html);
  const budget = { left: MAX_STEPS };
  const isExcluded = compileAny(exclude, budget);
  if (exclude.length > 0) removeElements(document, isExcluded);
  const body = findBody(document);
  const isIncluded = compileAny(include, budget);
  if (include.length > 0 && body !== undefined && !isIncluded(body))
    replaceChildren(body, findOutermost(body, isIncluded));
  return serialize(document);
}

/** @throws {Error} saying why a selector cannot be used */
export function checkElementSelector(source: string): void {
  compileAny([source], { left: MAX_STEPS });
}

function compileAny(sources: readonly string[], budget: { left: number }): Matches {
  if (sources.length === 0) return () => false;
  const tokens = sources.flatMap((source) => {
    const parsed = parse(source);
    if (parsed.length === 0 || parsed.some((one) => one.length === 0)) throw new Error('the selector is empty');
    refuseUnsupported(parsed);
    return parsed;
  });
  return compile<Node, Element>(tokens, {
    adapter: createAdapter(budget),
    cacheResults: false,
    relativeSelector: false,
  });
}

function childrenOf(node: Node): ChildNode[] {
  if ('content' in node) return node.content.childNodes;
  return 'childNodes' in node ? node.childNodes : [];
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

function createAdapter(budget: { left: number }) {
  const visit = <T>(value: T): T => {
    budget.left -= 1;
    if (budget.left < 0) throw new SelectorBudgetExceeded();
    return value;
  };
  const parentOf = (node: Node): ParentNode | null => ('parentNode' in node ? node.parentNode : null);
  const siblingsOf = (node: Node): ChildNode[] => {
    const parent = parentOf(node);
    return parent === null ? [] : childrenOf(parent);
  };
  return {
    isTag: (node: Node): node is Element => visit(isElement(node)),
    getAttributeValue: (element: Element, name: string) =>
      visit(element.attrs.find((attribute) => attribute.name === name)?.value),
    getChildren: (node: Node): Node[] => visit(childrenOf(node)),
    getName: (element: Element): string => visit(element.tagName),
    getParent: (node: Element): Element | null => {
      const parent = visit(parentOf(node));
      return parent !== null && isElement(parent) ? parent : null;
    },
    getSiblings: (node: Node): Node[] => visit(siblingsOf(node)),
    prevElementSibling: (node: Node): Element | null => {
      const siblings: readonly Node[] = siblingsOf(node);
      let before = siblings.indexOf(node) - 1;
      budget.left -= before;
      for (; before >= 0; before -= 1) {
        const sibling = visit(siblings[before]);
        if (isElement(sibling)) return sibling;
      }
      return null;
    },
    getText: (node: Node): string => {
      let text = '';
      for (const inner of walk(node)) if (visit(inner).nodeName === '#text' && 'value' in inner) text += inner.value;
      return text;
    },
    hasAttrib: (element: Element, name: string): boolean =>
      visit(element.attrs.some((attribute) => attribute.name === name)),
    /** Only `selectAll` over several roots uses it. */
    removeSubsets: (nodes: Node[]): Node[] => nodes,
  };
}

function* walk(root: Node): Generator<Node, void> {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) stack.push(children[index]);
  }
}

/** Matches all elements before removing any, since removals change positions. */
function removeElements(root: Node, isExcluded: Matches): void {
  const excluded = new Set<Node>();
  const parents = new Set<Node>();
  for (const node of walk(root)) {
    if (!isElement(node) || !isExcluded(node)) continue;
    excluded.add(node);
    if (node.parentNode !== null) parents.add(node.parentNode);
  }
  for (const parent of parents)
    if ('childNodes' in parent) parent.childNodes = parent.childNodes.filter((child) => !excluded.has(child));
}

function findOutermost(root: Element, isIncluded: Matches): Element[] {
  const found: Element[] = [];
  const stack: Node[] = childrenOf(root).toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isElement(node) && isIncluded(node)) {
      found.push(node);
      continue;
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) stack.push(children[index]);
  }
  return found;
}

function findBody(document: DefaultTreeAdapterTypes.Document): Element | undefined {
  const root = document.childNodes.find((node) => node.nodeName === 'html');
  const body = root && childrenOf(root).find((node) => node.nodeName === 'body');
  return body && isElement(body) ? body : undefined;
}

function replaceChildren(body: Element, elements: readonly Element[]): void {
  const children: Element[] = [];
  /** Wraps adjacent table parts. */
  let table: Element | undefined;
  for (const element of elements) {
    if (!TABLE_PARTS.has(element.tagName)) {
      children.push(element);
      continue;
    }
    if (table === undefined || children.at(-1) !== table) {
      table = defaultTreeAdapter.createElement('table', markup.NS.HTML, []);
      children.push(table);
    }
    table.childNodes.push(element);
  }
  body.childNodes = children;
}
