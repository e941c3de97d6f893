import { TAG, TEXT } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { type LinkedData, readLinkedData } from '../fields/json-ld.ts';
import { FlatDocument } from './flat-document.ts';
import { SelectorBudget } from './selector-budget.ts';

/** JSON-LD scripts of a page that are read. */
const MAX_SCRIPTS = 50;

/** The names by which a template's selectors are looked up, gathered when it is compiled. */
export interface WantedNames {
  readonly ids: Set<string>;
  readonly classes: Set<string>;
  readonly attributes: Set<string>;
  /** Non-zero at the code of each wanted element name. */
  readonly tags: Uint8Array;
}

export function createWantedNames(): WantedNames {
  return { ids: new Set(), classes: new Set(), attributes: new Set(), tags: new Uint8Array(256) };
}

/**
 * A page as selectors look at it: the elements that bear a wanted id, class token, attribute or tag name,
 * found in one pass, in document order.
 */
export class PageView {
  readonly tree: Tree;
  readonly budget: SelectorBudget = new SelectorBudget();
  readonly byId: Map<string, number[]> = new Map();
  readonly byClass: Map<string, number[]> = new Map();
  readonly byAttribute: Map<string, number[]> = new Map();
  readonly byTag: (number[] | undefined)[] = [];
  /** `<a>` and `<img>` elements with attributes, which every page's links and images come from. */
  readonly anchors: number[] = [];
  readonly images: number[] = [];
  /** First target of `<base href>`. */
  baseHref: string | null = null;
  #document: FlatDocument | undefined;
  #linkedData: LinkedData | undefined;

  constructor(tree: Tree, wanted: WantedNames) {
    this.tree = tree;
    this.#scan(wanted);
  }

  /** The page as objects, for the engines that want them; made when first asked for. */
  get document(): FlatDocument {
    this.#document ??= new FlatDocument(this.tree, this.budget);
    return this.#document;
  }

  /** The page's JSON-LD, read when first asked for; `script` must be among the wanted tags. */
  get linkedData(): LinkedData {
    if (this.#linkedData === undefined) {
      const scripts: string[] = [];
      for (const node of this.byTag[TAG.script] ?? []) {
        const type = getAttribute(this.tree, node, 'type');
        if (type === undefined || !/^\s*application\/ld\+json/i.test(type)) continue;
        const child = node + 1;
        if (child < this.tree.end[node]! && this.tree.tag[child] === TEXT) scripts.push(this.tree.value[child]!);
      }
      this.#linkedData = readLinkedData(scripts.slice(0, MAX_SCRIPTS));
    }
    return this.#linkedData;
  }

  #scan(wanted: WantedNames): void {
    const { tag, attributes, size } = this.tree;
    const tokens = new Map<string, readonly string[]>();
    const others = wanted.attributes.size > 0;
    for (let node = 1; node < size; node++) {
      const code = tag[node]!;
      if (code === TEXT) continue;
      if (wanted.tags[code] !== 0) (this.byTag[code] ??= []).push(node);
      const list = attributes[node];
      if (list === undefined) continue;
      if (code === TAG.a) this.anchors.push(node);
      else if (code === TAG.img) this.images.push(node);
      for (let k = 0; k < list.length; k++) {
        const { name, value } = list[k]!;
        if (name === 'class') {
          let found = tokens.get(value);
          if (found === undefined) {
            found = value.split(/\s+/).filter((token) => wanted.classes.has(token));
            tokens.set(value, found);
          }
          for (const token of found) append(this.byClass, token, node);
        } else if (name === 'id') {
          if (wanted.ids.has(value)) append(this.byId, value, node);
        } else if (name === 'href' && code === TAG.base) this.baseHref ??= value;
        if (others && wanted.attributes.has(name)) append(this.byAttribute, name, node);
      }
    }
  }
}

function append(map: Map<string, number[]>, key: string, node: number): void {
  const nodes = map.get(key);
  if (nodes === undefined) map.set(key, [node]);
  else if (nodes.at(-1) !== node) nodes.push(node);
}
