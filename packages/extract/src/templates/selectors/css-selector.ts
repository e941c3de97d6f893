import { compile } from 'css-select';
import { parse, type Selector as CssToken } from 'css-what';
import { compileDirect } from './direct-selector.ts';
import type { FlatNode } from './flat-document.ts';
import type { CompiledSelector } from './compiled-selector.ts';
import type { PageIndex, WantedNames } from './page-index.ts';

/**
 * Matches common selectors (tags, ids, classes, attributes, positions; child and descendant) on the flat tree with an
 * index; css-select handles the rest.
 *
 * @throws {Error} with the reason, for an invalid selector
 */
export function compileCss(source: string, wanted: WantedNames): CompiledSelector {
  const tokens = parse(source);
  if (tokens.every((one) => one.length === 0)) throw new Error('the selector is empty');
  refuseUnsupported(tokens);
  return compileDirect(tokens, wanted) ?? compileGeneral(tokens);
}

/** Refuses pseudo-elements, deep nesting and many alternatives. */
export function refuseUnsupported(tokens: readonly (readonly CssToken[])[], depth = 0): void {
  if (depth > 3) throw new Error('pseudo-classes are nested too deep');
  if (tokens.length > 50) throw new Error('more than 50 alternatives');
  for (const token of tokens.flat()) {
    if (token.type === 'pseudo-element') throw new Error(`pseudo-element ::${token.name} selects no element`);
    if (token.type === 'pseudo' && Array.isArray(token.data)) refuseUnsupported(token.data, depth + 1);
  }
}

function compileGeneral(tokens: CssToken[][]): CompiledSelector {
  const matches = compile<FlatNode, FlatNode>(tokens, {
    adapter: ADAPTER,
    cacheResults: false,
    relativeSelector: false,
  });
  return {
    select(page: PageIndex) {
      const nodes: number[] = [];
      const { tree, budget, document } = page;
      for (let index = 1; index < tree.size; index++) {
        budget.spend(1);
        if (tree.tag[index] > 1 && matches(document.at(index))) nodes.push(index);
        budget.allowMatches(nodes.length);
      }
      return { nodes };
    },
  };
}

const ADAPTER = {
  isTag: (node: FlatNode): node is FlatNode => node.isElement,
  getAttributeValue: (element: FlatNode, name: string): string | undefined => element.getAttribute(name),
  getChildren: (node: FlatNode): FlatNode[] => node.childNodes,
  getName: (element: FlatNode): string => element.nodeName,
  getParent: (node: FlatNode): FlatNode | null => node.parentNode,
  getSiblings: (node: FlatNode): FlatNode[] => node.parentNode?.childNodes ?? [node],
  prevElementSibling: (node: FlatNode): FlatNode | null => {
    let before = node.previousSibling;
    while (before !== null && !before.isElement) before = before.previousSibling;
    return before;
  },
  getText: (node: FlatNode): string => node.getText(),
  hasAttrib: (element: FlatNode, name: string): boolean => element.getAttribute(name) !== undefined,
  /** Only `selectAll` over several roots uses it. */
  removeSubsets: (nodes: FlatNode[]): FlatNode[] => nodes,
};
