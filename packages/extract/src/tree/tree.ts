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
}

export interface Attribute {
  readonly name: string;
  readonly value: string;
}
