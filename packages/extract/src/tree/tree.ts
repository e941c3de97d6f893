import { TEXT } from './tags.ts';

/**
 * The page as a flat tree: nodes are numbered in document order (preorder), node 0 is the document,
 * and everything about node `i` stands at index `i` of these arrays. The descendants of `i` are
 * exactly `i + 1 … end[i] - 1`, so a pass over a subtree is a plain loop and nothing recurses.
 */
export interface Tree {
  /** Number of nodes, the document included. */
  readonly size: number;
  /** Tag code of each node, see `tags.ts`: `TEXT` for text, `DOCUMENT` for node 0, else the element's code. */
  readonly tag: Uint8Array;
  /** Parent of each node; -1 for the document. */
  readonly parent: Int32Array;
  /** One past the last descendant of each node. */
  readonly end: Int32Array;
  /** Lower-case tag name of elements, the data of text nodes, '' for the document. */
  readonly value: readonly string[];
  /** Attributes of elements, in source order; undefined where there are none. */
  readonly attributes: readonly (readonly Attribute[] | undefined)[];
  /** For each node whether the page hides it, see `find-hidden.ts`; empty when it hides nothing. */
  readonly hidden: Uint8Array;
}

export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** The value of a node's attribute (lower-case name); undefined when it has none of that name. */
export function getAttribute(tree: Pick<Tree, 'attributes'>, node: number, name: string): string | undefined {
  const list = tree.attributes[node];
  if (list === undefined) return undefined;
  for (const attribute of list) if (attribute.name === name) return attribute.value;
  return undefined;
}

/** All text below a node (or its own, for a text node), as it stands: scripts' and styles' text included. */
export function getTextContent(tree: Tree, node: number): string {
  let text = '';
  for (let i = node; i < tree.end[node]!; i++) if (tree.tag[i] === TEXT) text += tree.value[i];
  return text;
}
