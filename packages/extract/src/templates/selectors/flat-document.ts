import { DOCUMENT, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import type { SelectorBudget } from './selector-budget.ts';
import { SelectorBudgetExceeded } from '../format/template.ts';

const ELEMENT_NODE = 1;
const ATTRIBUTE_NODE = 2;
const TEXT_NODE = 3;
const DOCUMENT_NODE = 9;

/** Engines prepend to a list of ancestors: quadratic in the depth. */
const MAX_DEPTH = 1_000;

/** Cost of a visit through an engine, relative to the flat tree. */
const VISIT_COST = 10;

/** Characters of text that cost as much as a visit. */
const TEXT_PER_STEP = 64;

/**
 * The flat tree with the DOM members that selector engines read. Nodes are created on their first visit; each visit
 * costs budget.
 */
export class FlatDocument {
  readonly tree: Tree;
  readonly budget: SelectorBudget;
  readonly #nodes: (FlatNode | undefined)[] = [];

  /** @throws {SelectorBudgetExceeded} for a tree too deep for the engines */
  constructor(tree: Tree, budget: SelectorBudget) {
    this.tree = tree;
    this.budget = budget;
    if (measureDepth(tree) > MAX_DEPTH) throw new SelectorBudgetExceeded();
  }

  get root(): FlatNode {
    return this.at(0);
  }

  at(index: number): FlatNode {
    this.budget.spend(VISIT_COST);
    return (this.#nodes[index] ??= new FlatNode(this, index));
  }
}

export class FlatNode {
  readonly index: number;
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string;
  readonly namespaceURI: null = null;
  readonly prefix: null = null;
  readonly #document: FlatDocument;
  #attributes: FlatAttributes | undefined;

  constructor(document: FlatDocument, index: number) {
    this.#document = document;
    this.index = index;
    const { tag, value } = document.tree;
    const code = tag[index];
    this.nodeType = code === TEXT ? TEXT_NODE : code === DOCUMENT ? DOCUMENT_NODE : ELEMENT_NODE;
    this.nodeName = code === TEXT ? '#text' : code === DOCUMENT ? '#document' : value[index];
    this.localName = this.nodeName;
  }

  get isElement(): boolean {
    return this.nodeType === ELEMENT_NODE;
  }

  get ownerDocument(): FlatNode | null {
    return this.nodeType === DOCUMENT_NODE ? null : this.#document.root;
  }

  get documentElement(): FlatNode | null {
    return this.firstChild;
  }

  get parentNode(): FlatNode | null {
    const parent = this.#document.tree.parent[this.index];
    return parent < 0 ? null : this.#document.at(parent);
  }

  get firstChild(): FlatNode | null {
    return this.#document.tree.end[this.index] > this.index + 1 ? this.#document.at(this.index + 1) : null;
  }

  get nextSibling(): FlatNode | null {
    const { tree } = this.#document;
    const parent = tree.parent[this.index];
    if (parent < 0) return null;
    const next = tree.end[this.index];
    return next < tree.end[parent] ? this.#document.at(next) : null;
  }

  get previousSibling(): FlatNode | null {
    const { tree, budget } = this.#document;
    const parent = tree.parent[this.index];
    let before = -1;
    if (parent < 0) return null;
    for (let i = parent + 1; i < this.index; i = tree.end[i]) {
      before = i;
      budget.spend(1);
    }
    return before < 0 ? null : this.#document.at(before);
  }

  get childNodes(): FlatNode[] {
    const { tree } = this.#document;
    const children: FlatNode[] = [];
    const end = tree.end[this.index];
    for (let i = this.index + 1; i < end; i = tree.end[i]) children.push(this.#document.at(i));
    return children;
  }

  get nodeValue(): string | null {
    if (this.nodeType !== TEXT_NODE) return null;
    const text = this.#document.tree.value[this.index];
    this.#document.budget.spend(1 + text.length / TEXT_PER_STEP);
    return text;
  }

  get data(): string | null {
    return this.nodeValue;
  }

  get attributes(): FlatAttributes {
    if (this.#attributes === undefined) {
      const list = this.isElement ? (this.#document.tree.attributes[this.index] ?? []) : [];
      this.#attributes = new FlatAttributes(
        list.map(({ name, value }, at) => new FlatAttribute(this, at, name, value)),
      );
    }
    this.#document.budget.spend(this.#attributes.length);
    return this.#attributes;
  }

  getAttribute(name: string): string | undefined {
    this.#document.budget.spend(1);
    return getAttribute(this.#document.tree, this.index, name);
  }

  /** For `id()` and `lang()`; HTML has no attribute namespaces. */
  getAttributeNS(_namespace: string | null, name: string): string | null {
    return this.getAttribute(name) ?? null;
  }

  getText(): string {
    const { tree, budget } = this.#document;
    let text = '';
    for (let i = this.index; i < tree.end[this.index]; i++) if (tree.tag[i] === TEXT) text += tree.value[i];
    budget.spend(tree.end[this.index] - this.index + text.length / TEXT_PER_STEP);
    return text;
  }
}

export class FlatAttribute {
  readonly nodeType: number = ATTRIBUTE_NODE;
  readonly nodeName: string;
  readonly localName: string;
  readonly name: string;
  readonly value: string;
  readonly nodeValue: string;
  readonly namespaceURI: null = null;
  readonly prefix: null = null;
  readonly specified: boolean = true;
  readonly ownerElement: FlatNode;
  readonly place: number;

  constructor(owner: FlatNode, place: number, name: string, value: string) {
    this.ownerElement = owner;
    this.place = place;
    this.name = this.nodeName = this.localName = name;
    this.value = this.nodeValue = value;
  }
}

/** Document order. Attributes come after their element and before its children. */
export function compareNodes(a: FlatNode | FlatAttribute, b: FlatNode | FlatAttribute): number {
  return getIndex(a) - getIndex(b) || getPlace(a) - getPlace(b);
}

function getIndex(node: FlatNode | FlatAttribute): number {
  return node instanceof FlatAttribute ? node.ownerElement.index : node.index;
}

function getPlace(node: FlatNode | FlatAttribute): number {
  return node instanceof FlatAttribute ? node.place : -1;
}

/** The part of NamedNodeMap that engines read. */
export class FlatAttributes {
  readonly length: number;
  readonly #items: readonly FlatAttribute[];

  constructor(items: readonly FlatAttribute[]) {
    this.#items = items;
    this.length = items.length;
  }

  item(index: number): FlatAttribute | null {
    return this.#items[index] ?? null;
  }
}

function measureDepth(tree: Tree): number {
  const depths = new Int32Array(tree.size);
  let deepest = 0;
  for (let i = 1; i < tree.size; i++) {
    const depth = depths[tree.parent[i]] + 1;
    depths[i] = depth;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}
