import xpath from 'xpath';
import type { CompiledSelector } from './compiled-selector.ts';
import { FlatAttribute, FlatNode } from './flat-document.ts';
import { SelectorBudgetExceeded } from './template.ts';

/** The part of the library that its own types leave out: an expression parsed once, run many times. */
interface XPathParser {
  parse(source: string): { evaluate(context: { node: FlatNode; isHtml: boolean }): XPathValue };
}

/** A node set has `toArray`; strings, numbers and truth values do not. */
interface XPathValue {
  toArray?: () => unknown[];
  toString(): string;
}

const parser = xpath as unknown as XPathParser;

/**
 * Compiles an XPath 1.0 expression. Element names are matched without regard to case, as in HTML.
 *
 * @throws {Error} when the expression is not valid; the message says why
 */
export function compileXPath(source: string): CompiledSelector {
  const expression = parser.parse(source);
  return {
    select(page) {
      const found = evaluate(() => expression.evaluate({ node: page.document.root, isHtml: true }));
      if (found.toArray === undefined) return { nodes: [], values: [found.toString()] };
      const items = found.toArray();
      page.budget.allowMatches(items.length);
      const nodes = items.filter((item) => item instanceof FlatNode).map((item) => item.index);
      const attributes = items.filter((item) => item instanceof FlatAttribute);
      return attributes.length > 0 ? { nodes, values: attributes.map((item) => item.value) } : { nodes };
    },
  };
}

function evaluate(run: () => XPathValue): XPathValue {
  try {
    return run();
  } catch (error) {
    // The engine recurses over deep trees; a stack that runs out is a budget that ran out.
    if (error instanceof RangeError) throw new SelectorBudgetExceeded();
    throw error;
  }
}
