import { createHider } from '../../tree/hiding/find-hidden.ts';
import { StyleSheets } from '../../tree/hiding/page-styles.ts';
import { TAG, TEXT } from '../../tree/tags.ts';
import type { Attribute, Tree } from '../../tree/tree.ts';
import type { SeededRandom } from './seeded-random.ts';

/** An edited tree and, for each node, its node in the original tree; -1: new. */
export interface EditedTree {
  readonly tree: Tree;
  readonly origin: Int32Array;
}

const RENAMED_NAMES = 0.08;
const WRAPPED_ELEMENTS = 0.02;
const INSERTED_ELEMENTS = 0.03;

/**
 * Edits a tree as a site's next release might: renames class tokens and ids, adds wrappers and elements. After Dalvi,
 * Bohannon and Sha, "Robust web extraction", 2009.
 */
export function editTree(tree: Tree, random: SeededRandom): EditedTree {
  const builder = new TreeBuilder();
  const names = new Map<string, string>();
  const closing: { end: number; place: number }[] = [];
  for (let node = 0; node < tree.size; node++) {
    while (closing.length > 0 && closing.at(-1)!.end <= node) builder.close(closing.pop()!.place);
    const code = tree.tag[node];
    if (code > TEXT && isInBody(tree, node)) {
      if (random.next() < INSERTED_ELEMENTS) builder.close(builder.open(code, tree.value[node], undefined, -1));
      if (random.next() < WRAPPED_ELEMENTS)
        closing.push({ end: tree.end[node], place: builder.open(TAG.div, 'div', undefined, -1) });
    }
    const place = builder.open(code, tree.value[node], rename(tree.attributes[node], names, random), node);
    if (tree.end[node] > node + 1) closing.push({ end: tree.end[node], place });
    else builder.close(place);
  }
  while (closing.length > 0) builder.close(closing.pop()!.place);
  return builder.finish();
}

function isInBody(tree: Tree, node: number): boolean {
  const parent = tree.tag[tree.parent[node]];
  return parent !== TAG.html && parent !== TAG.head && parent !== 0;
}

function rename(
  list: readonly Attribute[] | undefined,
  names: Map<string, string>,
  random: SeededRandom,
): readonly Attribute[] | undefined {
  if (list === undefined || !list.some(({ name }) => name === 'class' || name === 'id')) return list;
  return list.map(({ name, value }) => {
    if (name !== 'class' && name !== 'id') return { name, value };
    const tokens = value.split(/\s+/).map((token) => {
      let other = names.get(token);
      if (other === undefined) names.set(token, (other = random.next() < RENAMED_NAMES ? `${token}-2` : token));
      return other;
    });
    return { name, value: tokens.join(' ') };
  });
}

const NO_SHEETS = new StyleSheets();

class TreeBuilder {
  readonly #tag: number[] = [];
  readonly #parent: number[] = [];
  readonly #end: number[] = [];
  readonly #value: string[] = [];
  readonly #attributes: (readonly Attribute[] | undefined)[] = [];
  readonly #origin: number[] = [];
  readonly #open: number[] = [];

  open(tag: number, value: string, attributes: readonly Attribute[] | undefined, origin: number): number {
    const place = this.#tag.length;
    this.#tag.push(tag);
    this.#parent.push(this.#open.at(-1) ?? -1);
    this.#end.push(place + 1);
    this.#value.push(value);
    this.#attributes.push(attributes);
    this.#origin.push(origin);
    this.#open.push(place);
    return place;
  }

  close(place: number): void {
    this.#end[place] = this.#tag.length;
    this.#open.pop();
  }

  finish(): EditedTree {
    const tree = {
      size: this.#tag.length,
      tag: Uint8Array.from(this.#tag),
      parent: Int32Array.from(this.#parent),
      end: Int32Array.from(this.#end),
      value: this.#value,
      attributes: this.#attributes,
    };
    return { tree: { ...tree, hidden: createHider(tree, NO_SHEETS)(tree) }, origin: Int32Array.from(this.#origin) };
  }
}
