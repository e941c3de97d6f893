import { isImage } from '../../tree/is-image.ts';
import { CUSTOM_BLOCK, OTHER, TAG, TEXT } from '../../tree/tags.ts';
import { type Attribute, getAttribute, type Tree } from '../../tree/tree.ts';
import { type LinkedData, readLinkedData } from '../../page/json-ld.ts';
import { FlatDocument } from './flat-document.ts';
import { SelectorBudget } from './selector-budget.ts';

const MAX_SCRIPTS = 50;

/** Names used by a template's selectors, collected at compile time. */
export interface WantedNames {
  readonly ids: Set<string>;
  readonly classes: Set<string>;
  readonly attributes: Set<string>;
  readonly tags: Uint8Array;
  /** Non-zero for elements that may have a wanted id, class or attribute; others are skipped. */
  readonly bearers: Uint8Array;
}

export function createWantedNames(): WantedNames {
  const bearers = new Uint8Array(256);
  bearers[TAG.base] = 1;
  return { ids: new Set(), classes: new Set(), attributes: new Set(), tags: new Uint8Array(256), bearers };
}

/**
 * Index of a page, or a part of it: elements by id, class token, attribute and tag name, from one pass, in document
 * order.
 */
export class PageIndex {
  readonly tree: Tree;
  readonly budget: SelectorBudget;
  readonly byId: Map<string, number[]> = new Map();
  readonly byClass: Map<string, number[]> = new Map();
  readonly byAttribute: Map<string, number[]> = new Map();
  readonly byTag: (number[] | undefined)[] = [];
  /** For the links and images of every page. */
  readonly anchors: number[] = [];
  readonly images: number[] = [];
  baseHref: string | null = null;
  #document: FlatDocument | undefined;
  #linkedData: LinkedData | undefined;

  /** @param roots limits the index to the descendants of these elements */
  constructor(
    tree: Tree,
    wanted: WantedNames,
    budget: SelectorBudget = new SelectorBudget(),
    roots: readonly number[] = [0],
  ) {
    this.tree = tree;
    this.budget = budget;
    let done = 0;
    for (const root of roots) {
      this.#scan(wanted, Math.max(root + 1, done), tree.end[root]);
      done = Math.max(done, tree.end[root]);
    }
  }

  get document(): FlatDocument {
    this.#document ??= new FlatDocument(this.tree, this.budget);
    return this.#document;
  }

  /** The page's JSON-LD, read on demand; `script` and `meta` must be wanted tags. */
  get linkedData(): LinkedData {
    this.#linkedData ??= readLinkedData(this.#listLinkedData().slice(0, MAX_SCRIPTS));
    return this.#linkedData;
  }

  #listLinkedData(): string[] {
    const { tree } = this;
    const sources: string[] = [];
    for (const node of this.byTag[TAG.script] ?? []) {
      const type = getAttribute(tree, node, 'type');
      if (type === undefined || !/^\s*application\/ld\+json/i.test(type)) continue;
      const child = node + 1;
      if (child < tree.end[node] && tree.tag[child] === TEXT) sources.push(tree.value[child]);
    }
    // Next.js writes JSON-LD like this if a site passes it as other metadata.
    for (const node of this.byTag[TAG.meta] ?? []) {
      if (getAttribute(tree, node, 'name') === 'script:ld+json')
        sources.push(getAttribute(tree, node, 'content') ?? '');
    }
    return sources;
  }

  #scan(wanted: WantedNames, from: number, to: number): void {
    const { tag, attributes } = this.tree;
    const { tags, bearers } = wanted;
    const tokens = new Map<string, readonly string[]>();
    for (let node = from; node < to; node++) {
      const code = tag[node] === CUSTOM_BLOCK ? OTHER : tag[node];
      if (code === TEXT) continue;
      if (tags[code] !== 0) (this.byTag[code] ??= []).push(node);
      if (code === TAG.a) this.anchors.push(node);
      else if (isImage(this.tree, node)) this.images.push(node);
      if (bearers[code] === 0) continue;
      const list = attributes[node];
      if (list !== undefined) this.#note(node, list, wanted, tokens);
    }
  }

  #note(node: number, list: readonly Attribute[], wanted: WantedNames, tokens: Map<string, readonly string[]>): void {
    for (let k = 0; k < list.length; k++) {
      const { name, value } = list[k];
      if (name === 'class') {
        let found = tokens.get(value);
        if (found === undefined) {
          found = value.split(/\s+/).filter((token) => wanted.classes.has(token));
          tokens.set(value, found);
        }
        for (const token of found) append(this.byClass, token, node);
      } else if (name === 'id') {
        if (wanted.ids.has(value)) append(this.byId, value, node);
      } else if (name === 'href' && this.tree.tag[node] === TAG.base) this.baseHref ??= value;
      if (wanted.attributes.size > 0 && wanted.attributes.has(name)) append(this.byAttribute, name, node);
    }
  }
}

function append(map: Map<string, number[]>, key: string, node: number): void {
  const nodes = map.get(key);
  if (nodes === undefined) map.set(key, [node]);
  else if (nodes.at(-1) !== node) nodes.push(node);
}
