import { OTHER } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import { ELEMENT, STRIDE, type Blocks } from './blocks.ts';
import { ElementNames, LEVELS } from '../words/element-names.ts';
import type { Lexicon } from '../words/lexicon.ts';
import { addWordWeights } from './section-words.ts';
import { TAG_BITS } from '../words/tag-families.ts';

/**
 * The element tree reduced to text: elements with the same blocks are one scope with the blocks `from … to - 1`.
 * Parents come before children; each block has its own leaf scope. At most two scopes a block, at any depth.
 */
export interface Scopes {
  readonly count: number;
  /** -1 for the root. */
  readonly parent: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly depth: Int32Array;
  /** Topmost element; -1 for a leaf that shares its element with other blocks. */
  readonly element: Int32Array;
  /** Families of class names and ids, and of elements and roles, see `name-families.ts`, `tag-families.ts`. */
  readonly nameBits: Int32Array;
  readonly tagBits: Int32Array;
  /** Hash of the topmost element's name and classes. */
  readonly signature: Int32Array;
  /** Lexicon weights, `LEVELS` a scope. */
  readonly weights: Float32Array;
  readonly leaf: Int32Array;
}

/** @param onElement receives each element with text, and its scope */
export function buildScopes(
  tree: Tree,
  blocks: Blocks,
  lexicon: Lexicon,
  onElement?: (scope: number, names: readonly string[]) => void,
): Scopes {
  const { rows, before, count } = blocks;
  const { parent, end } = tree;
  const names = new ElementNames(tree, lexicon);
  const capacity = count * 2 + 2;
  const scopes = allocate(capacity, count);
  const holding = markHolders(tree, blocks);
  const scopeOf = new Int32Array(tree.size).fill(-1);
  let size = 0;
  for (let node = 0; node < tree.size; node++) {
    if (holding[node] === 0) continue;
    const above = node === 0 ? -1 : scopeOf[parent[node]];
    const from = before[node];
    const to = before[end[node]];
    const isNew = above < 0 || scopes.from[above] !== from || scopes.to[above] !== to;
    const scope = isNew ? size++ : above;
    names.read(node, scopes.weights, scope * LEVELS);
    if (isNew) {
      open(scope, above, from, to);
      scopes.element[scope] = node;
      scopes.signature[scope] = names.signature;
    }
    scopeOf[node] = scope;
    scopes.tagBits[scope] |= TAG_BITS[tree.tag[node]] | names.roleBits;
    scopes.nameBits[scope] |= names.nameBits;
    onElement?.(scope, names.listTokens(node));
  }
  for (let block = 0; block < count; block++) {
    const scope = scopeOf[rows[block * STRIDE + ELEMENT]];
    if (scopes.from[scope] === block && scopes.to[scope] === block + 1) {
      scopes.leaf[block] = scope;
      continue;
    }
    const leaf = size++;
    open(leaf, scope, block, block + 1);
    scopes.element[leaf] = -1;
    scopes.signature[leaf] = OTHER;
    scopes.leaf[block] = leaf;
  }
  for (let scope = 0; scope < size; scope++) {
    const from = scopes.from[scope];
    const to = scopes.to[scope];
    const isLeaf = to - from === 1 && scopes.leaf[from] === scope;
    addWordWeights(lexicon, blocks, from, to, isLeaf, scopes.weights, scope * LEVELS);
  }
  return { ...scopes, count: size };

  function open(scope: number, above: number, from: number, to: number): void {
    scopes.parent[scope] = above;
    scopes.from[scope] = from;
    scopes.to[scope] = to;
    scopes.depth[scope] = above < 0 ? 0 : scopes.depth[above] + 1;
  }
}

type ScopeArrays = Omit<Scopes, 'count'>;

function allocate(capacity: number, blocks: number): ScopeArrays {
  return {
    parent: new Int32Array(capacity),
    from: new Int32Array(capacity),
    to: new Int32Array(capacity),
    depth: new Int32Array(capacity),
    element: new Int32Array(capacity),
    nameBits: new Int32Array(capacity),
    tagBits: new Int32Array(capacity),
    signature: new Int32Array(capacity),
    weights: new Float32Array(capacity * LEVELS),
    leaf: new Int32Array(blocks),
  };
}

/** Marks the elements around whole blocks. Each climb stops at the first marked element. */
function markHolders(tree: Tree, blocks: Blocks): Uint8Array {
  const holding = new Uint8Array(tree.size);
  for (let block = 0; block < blocks.count; block++) {
    let node = blocks.rows[block * STRIDE + ELEMENT];
    while (node >= 0 && holding[node] === 0) {
      holding[node] = 1;
      node = tree.parent[node];
    }
  }
  return holding;
}

/** An element marks blocks less than this many levels below it. */
const REACH = 12;

/** Returns whether a block is in an element with a bit, for instance one of a family of names. */
export function markBelow({ count, parent, leaf }: Scopes, bits: Int32Array, bit: number): (block: number) => boolean {
  const reach = new Uint8Array(count);
  for (let scope = 0; scope < count; scope++) {
    const above = parent[scope];
    reach[scope] = ((bits[scope] >> bit) & 1) === 1 ? REACH : above < 0 ? 0 : Math.max(0, reach[above] - 1);
  }
  return (block) => reach[leaf[block]] > 0;
}
