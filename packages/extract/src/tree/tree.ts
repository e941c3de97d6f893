import { TEXT } from './tags.ts';

/**
 * The page as a flat tree in document order (preorder); node 0 is the document. Node `i` has its data at index `i` of
 * these arrays, and its descendants are `i + 1 … end[i] - 1`, so passes are plain loops.
 */
export interface Tree {
  readonly size: number;
  /** Tag codes, see `tags.ts`: `TEXT`, `DOCUMENT` for node 0, or the element's code. */
  readonly tag: Uint8Array;
  /** -1 for the document. */
  readonly parent: Int32Array;
  /** One past the last descendant. */
  readonly end: Int32Array;
  /** Lower-case tag name or text; '' for the document. */
  readonly value: readonly string[];
  readonly attributes: readonly (readonly Attribute[] | undefined)[];
  /** Hidden nodes, see `find-hidden.ts`; empty if there are none. */
  readonly hidden: Uint8Array;
}

export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** The value of an attribute (lower-case name), or undefined. */
export function getAttribute(tree: Pick<Tree, 'attributes'>, node: number, name: string): string | undefined {
  const list = tree.attributes[node];
  if (list === undefined) return undefined;
  for (const attribute of list) if (attribute.name === name) return attribute.value;
  return undefined;
}

/** All text below a node (or its own), including scripts and styles. */
export function getTextContent(tree: Tree, node: number): string {
  let text = '';
  for (let i = node; i < tree.end[node]; i++) if (tree.tag[i] === TEXT) text += tree.value[i];
  return text;
}
