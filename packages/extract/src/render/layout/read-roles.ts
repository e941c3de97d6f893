import type { ContentBlock } from '../../types/extraction.ts';
import { markTags, TAG } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';

/** Elements without a meaning of their own, which a role replaces. */
const GENERIC = markTags('div', 'p', 'span');
const HEADINGS: readonly number[] = [TAG.h1, TAG.h2, TAG.h3, TAG.h4, TAG.h5, TAG.h6];
/** Level of a heading that states none, see https://www.w3.org/TR/wai-aria-1.2/#heading. */
const DEFAULT_LEVEL = 2;
/** Tags of the elements that contain parts. */
const HOLDERS: ReadonlyMap<string, number> = new Map([
  ['list', TAG.ul],
  ['table', TAG.table],
  ['grid', TAG.table],
  ['treegrid', TAG.table],
  ['row', TAG.tr],
]);
/** Tags of parts, and the tag of the element that contains them. */
const PARTS: ReadonlyMap<string, readonly [tag: number, holder: number]> = new Map([
  ['listitem', [TAG.li, TAG.ul]],
  ['row', [TAG.tr, TAG.table]],
  ['cell', [TAG.td, TAG.tr]],
  ['gridcell', [TAG.td, TAG.tr]],
  ['columnheader', [TAG.th, TAG.tr]],
  ['rowheader', [TAG.th, TAG.tr]],
]);
/** Rows, and cells of a row, that make a table. */
const LEAST_PARTS = 2;

/**
 * The tree with the elements that roles stand for: headings, lists of items, tables of rows of several cells. Reads the
 * content and what is around its start.
 */
export function readRoles(tree: Tree, blocks: readonly ContentBlock[]): Tree {
  if (blocks.length === 0) return tree;
  let start = blocks[0].first;
  for (let node = tree.parent[start]; node > 0; node = tree.parent[node])
    if (readRole(tree, node) !== undefined) start = node;
  return new RoleReader(tree).read(start, blocks[blocks.length - 1].end);
}

function readRole(tree: Tree, node: number): string | undefined {
  if (GENERIC[tree.tag[node]] === 0 || tree.attributes[node] === undefined) return undefined;
  return getAttribute(tree, node, 'role');
}

interface Holder {
  readonly node: number;
  readonly tag: number;
  /** Nodes with their new tags: the parts that belong to it, and of a row in a table its cells. */
  readonly parts: (readonly [node: number, tag: number])[];
  count: number;
}

class RoleReader {
  readonly #tree: Tree;
  readonly #open: Holder[] = [];
  #tag: Uint8Array | undefined;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  read(first: number, end: number): Tree {
    for (let node = first; node < end; node++) {
      const role = readRole(this.#tree, node);
      if (role === undefined) continue;
      while (this.#open.length > 0 && this.#tree.end[this.#open.at(-1)!.node] <= node) this.#close();
      this.#readElement(node, role);
    }
    while (this.#open.length > 0) this.#close();
    return this.#tag === undefined ? this.#tree : { ...this.#tree, tag: this.#tag };
  }

  #readElement(node: number, role: string): void {
    const part = PARTS.get(role);
    const outer = this.#open.at(-1);
    const isPart = part !== undefined && outer?.tag === part[1];
    if (role === 'heading') this.#replace(node, readLevel(this.#tree, node));
    if (isPart && role !== 'row') {
      outer.parts.push([node, part[0]]);
      outer.count++;
    }
    const holder = HOLDERS.get(role);
    if (holder !== undefined && (role !== 'row' || isPart)) this.#open.push({ node, tag: holder, parts: [], count: 0 });
  }

  #close(): void {
    const { node, tag, parts, count } = this.#open.pop()!;
    if (tag === TAG.tr) {
      const table = this.#open.at(-1)!;
      table.parts.push([node, tag], ...parts);
      if (count >= LEAST_PARTS) table.count++;
    } else if (count >= (tag === TAG.table ? LEAST_PARTS : 1)) {
      this.#replace(node, tag);
      for (const [part, code] of parts) this.#replacePart(part, code, node);
    }
  }

  /** Elements around a part, such as groups of rows, are no paragraphs. */
  #replacePart(part: number, code: number, holder: number): void {
    const { parent } = this.#tree;
    this.#replace(part, code);
    for (let at = parent[part]; at > holder && this.#tag![at] === TAG.div; at = parent[at]) this.#replace(at, TAG.span);
  }

  #replace(node: number, code: number): void {
    this.#tag ??= this.#tree.tag.slice();
    this.#tag[node] = code;
  }
}

function readLevel(tree: Tree, node: number): number {
  const level = Number(getAttribute(tree, node, 'aria-level') ?? DEFAULT_LEVEL);
  return HEADINGS[level - 1] ?? TAG.h6;
}
