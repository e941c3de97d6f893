import xpath from 'xpath';
import type { CompiledSelector } from './compiled-selector.ts';
import { compareNodes, FlatAttribute, FlatNode } from './flat-document.ts';
import { compileDirectXPath } from './direct-xpath.ts';
import type { WantedNames } from './page-index.ts';
import { SelectorBudgetExceeded, SelectorFailed } from '../format/template.ts';

/** Missing in the library's types: an expression parsed once and run many times. */
interface XPathParser {
  parse(source: string): { evaluate(context: { node: FlatNode; isHtml: boolean }): XPathValue };
}

type XPathNode = FlatNode | FlatAttribute;

interface XPathNodeSet {
  nodes: XPathNode[];
  size: number;
  tree: unknown;
  addArray(nodes: readonly XPathNode[]): void;
  toArray(): XPathNode[];
}

/** Replaces quadratic methods of the library's node sets: they take seconds on large pages, outside any budget. */
function repairNodeSets(sets: { prototype: XPathNodeSet }): void {
  sets.prototype.addArray = function addArray(nodes) {
    this.nodes = [...new Set([...this.nodes, ...nodes])];
    this.size = this.nodes.length;
    this.tree = null;
  };
  sets.prototype.toArray = function toArray() {
    return this.nodes.toSorted(compareNodes);
  };
}

repairNodeSets((xpath as unknown as { XNodeSet: { prototype: XPathNodeSet } }).XNodeSet);

/** Only node sets have `toUnsortedArray`. */
interface XPathValue {
  toUnsortedArray?: () => unknown[];
  toString(): string;
}

const parser = xpath as unknown as XPathParser;

/**
 * Compiles an XPath 1.0 expression. Element names ignore case, as in HTML. Plain paths are matched on the flat tree;
 * the engine handles the rest.
 *
 * @throws {Error} with the reason, for an invalid expression
 */
export function compileXPath(source: string, wanted: WantedNames): CompiledSelector {
  refuseUnknownNames(source);
  const expression = parser.parse(source);
  return compileDirectXPath(source, wanted) ?? compileGeneral(source, expression);
}

function compileGeneral(source: string, expression: ReturnType<XPathParser['parse']>): CompiledSelector {
  return {
    select(page) {
      const found = evaluate(source, () => expression.evaluate({ node: page.document.root, isHtml: true }));
      if (found.toUnsortedArray === undefined) return { nodes: [], values: [found.toString()] };
      const items = found.toUnsortedArray();
      page.budget.allowMatches(items.length);
      const nodes = sort(items.filter((item) => item instanceof FlatNode).map((item) => item.index));
      const attributes = items.filter((item) => item instanceof FlatAttribute).toSorted(compareNodes);
      return attributes.length > 0 ? { nodes, values: attributes.map((item) => item.value) } : { nodes };
    },
  };
}

function evaluate(source: string, run: () => XPathValue): XPathValue {
  try {
    return run();
  } catch (error) {
    if (error instanceof SelectorBudgetExceeded) throw error;
    // The engine recurses; a stack overflow on a deep tree counts as an exceeded budget.
    if (error instanceof RangeError) throw new SelectorBudgetExceeded();
    throw new SelectorFailed(source, error);
  }
}

/**
 * Functions, node tests and operators of XPath 1.0. The library would report others, and variables, only at run time.
 */
const KNOWN = new Set(
  'last position count id local-name namespace-uri name string concat starts-with contains substring-before substring-after substring string-length normalize-space translate boolean not true false lang number sum floor ceiling round text node comment processing-instruction and or div mod'.split(
    ' ',
  ),
);

function refuseUnknownNames(source: string): void {
  const outside = source.replace(/"[^"]*"|'[^']*'/g, '""');
  const [variable] = /\$\s*[^\s\])]*/.exec(outside) ?? [];
  if (variable !== undefined) throw new Error(`there is no variable ${variable}`);
  for (const [, name = ''] of outside.matchAll(/(?<![\w.:-])[\d.:-]*([A-Za-z_][\w.:-]*)\s*\(/g)) {
    const axis = name.lastIndexOf('::');
    const plain = axis < 0 ? name : name.slice(axis + 2);
    if (!KNOWN.has(plain)) throw new Error(`XPath 1.0 has no function ${plain}()`);
  }
}

/** The library's own order is slow on large sets. */
function sort(nodes: readonly number[]): number[] {
  return [...new Set(nodes)].toSorted((a, b) => a - b);
}
