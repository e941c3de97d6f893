import xpath from 'xpath';
import type { CompiledSelector } from './compiled-selector.ts';
import { compareAttributes, FlatAttribute, FlatNode } from './flat-document.ts';
import { SelectorBudgetExceeded, SelectorFailed } from './template.ts';

/** The part of the library that its own types leave out: an expression parsed once, run many times. */
interface XPathParser {
  parse(source: string): { evaluate(context: { node: FlatNode; isHtml: boolean }): XPathValue };
}

/** A node set has `toUnsortedArray`; strings, numbers and truth values do not. */
interface XPathValue {
  toUnsortedArray?: () => unknown[];
  toString(): string;
}

const parser = xpath as unknown as XPathParser;

/**
 * Compiles an XPath 1.0 expression. Element names are matched without regard to case, as in HTML.
 *
 * @throws {Error} when the expression is not valid; the message says why
 */
export function compileXPath(source: string): CompiledSelector {
  refuseUnknownFunctions(source);
  const expression = parser.parse(source);
  return {
    select(page) {
      const found = evaluate(source, () => expression.evaluate({ node: page.document.root, isHtml: true }));
      if (found.toUnsortedArray === undefined) return { nodes: [], values: [found.toString()] };
      const items = found.toUnsortedArray();
      page.budget.allowMatches(items.length);
      const nodes = sort(items.filter((item) => item instanceof FlatNode).map((item) => item.index));
      const attributes = items.filter((item) => item instanceof FlatAttribute).toSorted(compareAttributes);
      return attributes.length > 0 ? { nodes, values: attributes.map((item) => item.value) } : { nodes };
    },
  };
}

function evaluate(source: string, run: () => XPathValue): XPathValue {
  try {
    return run();
  } catch (error) {
    if (error instanceof SelectorBudgetExceeded) throw error;
    // The engine recurses over deep trees; a stack that runs out is a budget that ran out.
    if (error instanceof RangeError) throw new SelectorBudgetExceeded();
    throw new SelectorFailed(source, error);
  }
}

/** The functions, node tests and operators of XPath 1.0. The library would miss any other only while it runs. */
const KNOWN = new Set(
  'last position count id local-name namespace-uri name string concat starts-with contains substring-before substring-after substring string-length normalize-space translate boolean not true false lang number sum floor ceiling round text node comment processing-instruction and or div mod'.split(
    ' ',
  ),
);

function refuseUnknownFunctions(source: string): void {
  const outside = source.replace(/"[^"]*"|'[^']*'/g, '""');
  for (const [, name = ''] of outside.matchAll(/([A-Za-z_][\w.:-]*)\s*\(/g)) {
    const axis = name.lastIndexOf('::');
    const plain = axis < 0 ? name : name.slice(axis + 2);
    if (!KNOWN.has(plain)) throw new Error(`XPath 1.0 has no function ${plain}()`);
  }
}

/** The library's own order is slow on large sets. */
function sort(nodes: readonly number[]): number[] {
  return [...new Set(nodes)].toSorted((a, b) => a - b);
}
