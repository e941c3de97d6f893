import { decodeBase64 } from '../words/decode-base64.ts';

/**
 * A gradient-boosted tree model as typed arrays. All trees are complete to one depth (short branches are padded), so
 * that evaluation only compares.
 */
export interface TreeModel {
  readonly depth: number;
  readonly trees: number;
  /** Column of each split, `2^depth - 1` a tree, level by level. */
  readonly features: Uint16Array;
  /** Values below the cut go left; as order keys, see `toOrderKeys`. */
  readonly cuts: Int32Array;
  /** Log-odds of each leaf, `2^depth` a tree. */
  readonly leaves: Float32Array;
  /** Rows with log-odds below `floor` after the first `trees` trees are dropped. */
  readonly probe: Probe;
}

export interface Probe {
  readonly trees: number;
  readonly floor: number;
}

/** A shipped model; `training/export.py` has the layout. */
export interface PackedModel {
  readonly depth: number;
  readonly trees: number;
  readonly columns: readonly string[];
  /** Base64, one byte a split. */
  readonly features: string;
  /** Base64 of little-endian float32 values. */
  readonly cuts: string;
  readonly leaves: string;
  /** Without it all rows go through all trees. */
  readonly probe?: Probe;
}

/** Unpacks a model; `allColumns` are its input. */
export function unpackModel(packed: PackedModel, allColumns: readonly string[]): TreeModel {
  const positions = packed.columns.map((name) => {
    const position = allColumns.indexOf(name);
    if (position < 0) throw new Error(`the model needs a feature that is not computed: ${name}`);
    return position;
  });
  const features = Uint16Array.from(decodeBase64(packed.features), (column) => positions[column]);
  return {
    depth: packed.depth,
    trees: packed.trees,
    features,
    cuts: toOrderKeys(decodeFloats(packed.cuts)),
    leaves: decodeFloats(packed.leaves),
    probe: packed.probe ?? { trees: packed.trees, floor: -Infinity },
  };
}

/**
 * Adds up the leaves of each row.
 *
 * @param values one column after the other, `rows` values each; overwritten, because a copy takes a tenth of the time
 * @param constants columns with one value for all rows
 * @returns log-odds, one a row
 */
export function evaluateTrees(
  model: TreeModel,
  values: Float32Array,
  rows: number,
  constants: Float32Array = NO_CONSTANTS,
): Float32Array {
  const sums = new Float32Array(rows);
  if (rows === 0) return sums;
  const descent = new Descent(model, values, rows, constants);
  for (let from = 0; from < rows; from += CHUNK) {
    descent.evaluate(from, sums.subarray(from, Math.min(rows, from + CHUNK)));
  }
  return sums;
}

/**
 * Adds up the leaves of a single row, for models without a probe. Several models share the row's keys, see
 * `toOrderKeys`.
 */
export function evaluateRow(model: TreeModel, keys: Int32Array): number {
  const { trees, features, cuts, leaves } = model;
  const size = (1 << model.depth) - 1;
  let sum = 0;
  for (let tree = 0; tree < trees; tree++) {
    const first = tree * size;
    let node = 0;
    while (node < size) node = keys[features[first + node]] < cuts[first + node] ? 2 * node + 1 : 2 * node + 2;
    // Rounds to float32 like `evaluateTrees`.
    sum = Math.fround(sum + leaves[first + tree + node - size]);
  }
  return sum;
}

const NO_CONSTANTS = new Float32Array(0);
const CHUNK = 256;
/** Up to this many rows, going row by row is cheaper than splitting. */
const FEW = 4;

const ALL_ROWS = Uint16Array.from({ length: CHUNK }, (_, row) => row);
/** Buffers of split rows, alternately read and written by level. */
const EVEN = new Uint16Array(CHUNK);
const ODD = new Uint16Array(CHUNK);

/**
 * Sends the rows of a chunk down the trees together. Half of all splits send all rows to one side and are decided once.
 * Going row by row takes 1.5 times as long.
 */
class Descent {
  readonly #model: TreeModel;
  readonly #size: number;
  /** Values, replaced by their keys chunk by chunk. */
  readonly #keys: Int32Array;
  readonly #rows: number;
  readonly #columns: number;
  /** First row of the current chunk. */
  #from = 0;
  /** Smallest and largest key of each column. */
  readonly #least: Int32Array;
  readonly #greatest: Int32Array;

  constructor(model: TreeModel, values: Float32Array, rows: number, constants: Float32Array) {
    this.#model = model;
    this.#size = (1 << model.depth) - 1;
    this.#keys = new Int32Array(values.buffer, values.byteOffset, values.length);
    this.#rows = rows;
    this.#columns = values.length / rows;
    this.#least = new Int32Array(this.#columns + constants.length);
    this.#least.set(toOrderKeys(constants), this.#columns);
    this.#greatest = this.#least.slice();
  }

  evaluate(from: number, sums: Float32Array): void {
    const { trees, probe } = this.#model;
    this.#readKeys(from, sums.length);
    this.#addLeaves(0, probe.trees, sums);
    if (probe.trees === trees) return;
    const left = new Uint16Array(sums.length);
    let size = 0;
    for (let row = 0; row < sums.length; row++) if (sums[row] >= probe.floor) left[size++] = row;
    if (size === 0) return;
    const leftSums = new Float32Array(size);
    for (let k = 0; k < size; k++) leftSums[k] = sums[left[k]];
    this.#keepRows(left, size);
    this.#addLeaves(probe.trees, trees, leftSums);
    for (let k = 0; k < size; k++) sums[left[k]] = leftSums[k];
  }

  #readKeys(from: number, size: number): void {
    const keys = this.#keys;
    this.#from = from;
    for (let column = 0; column < this.#columns; column++) {
      const at = column * this.#rows + from;
      let least = toOrderKey(keys[at]);
      let greatest = least;
      for (let k = 0; k < size; k++) {
        const key = toOrderKey(keys[at + k]);
        keys[at + k] = key;
        if (key < least) least = key;
        else if (key > greatest) greatest = key;
      }
      this.#least[column] = least;
      this.#greatest[column] = greatest;
    }
  }

  /** Moves the keys of the first `size` rows in `left` together, in place: overwritten keys have been read. */
  #keepRows(left: Uint16Array, size: number): void {
    const keys = this.#keys;
    for (let column = 0; column < this.#columns; column++) {
      if (this.#least[column] === this.#greatest[column]) continue;
      const at = column * this.#rows + this.#from;
      let least = keys[at + left[0]];
      let greatest = least;
      for (let k = 0; k < size; k++) {
        const key = keys[at + left[k]];
        keys[at + k] = key;
        if (key < least) least = key;
        else if (key > greatest) greatest = key;
      }
      this.#least[column] = least;
      this.#greatest[column] = greatest;
    }
  }

  #addLeaves(from: number, to: number, sums: Float32Array): void {
    for (let tree = from; tree < to; tree++) this.#descend(tree, 0, 0, sums.length, ALL_ROWS, EVEN, sums);
  }

  /** Sends the rows `source[begin … end - 1]` down from a node and writes them split to `target`. */
  #descend(
    tree: number,
    start: number,
    begin: number,
    end: number,
    source: Uint16Array,
    target: Uint16Array,
    sums: Float32Array,
  ): void {
    const { features, cuts, leaves } = this.#model;
    const size = this.#size;
    const keys = this.#keys;
    const rows = this.#rows;
    const from = this.#from;
    const columns = this.#columns;
    const first = tree * size;
    let node = start;
    let column = 0;
    let cut = 0;
    while (node < size) {
      column = features[first + node];
      cut = cuts[first + node];
      if (cut > this.#greatest[column]) node = 2 * node + 1;
      else if (cut <= this.#least[column]) node = 2 * node + 2;
      else break;
    }
    if (node >= size) {
      const leaf = leaves[first + tree + node - size];
      for (let k = begin; k < end; k++) sums[source[k]] += leaf;
      return;
    }
    if (end - begin <= FEW) {
      for (let k = begin; k < end; k++) {
        const row = source[k];
        let reached = node;
        while (reached < size) {
          const split = features[first + reached];
          const key = split < columns ? keys[split * rows + from + row] : this.#least[split];
          reached = 2 * reached + 2 - ((key - cuts[first + reached]) >>> 31);
        }
        sums[row] += leaves[first + tree + reached - size];
      }
      return;
    }
    const at = column * rows + from;
    const below = 2 * node + 1;
    if (below >= size) {
      const leaf = first + tree + below - size;
      for (let k = begin; k < end; k++) {
        const row = source[k];
        sums[row] += leaves[leaf + 1 - ((keys[at + row] - cut) >>> 31)];
      }
      return;
    }
    let left = begin;
    let right = end - 1;
    for (let k = begin; k < end; k++) {
      const row = source[k];
      // 1 if below; a branch would be mispredicted half the time.
      const isLeft = (keys[at + row] - cut) >>> 31;
      target[left] = row;
      target[right] = row;
      left += isLeft;
      right += isLeft - 1;
    }
    const next = target === EVEN ? ODD : EVEN;
    if (left > begin) this.#descend(tree, below, begin, left, target, next, sums);
    if (left < end) this.#descend(tree, below + 1, left, end, target, next, sums);
  }
}

/**
 * Integers in the order of the numbers, 31 bits, so that differences cannot overflow. Numbers that differ in the last
 * mantissa bit share a key.
 */
export function toOrderKeys(values: Float32Array): Int32Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keys = new Int32Array(values.length);
  for (let i = 0; i < keys.length; i++) keys[i] = toOrderKey(bits[i]);
  return keys;
}

function toOrderKey(bits: number): number {
  return ((bits ^ ((bits >> 31) & 0x7fffffff)) + (bits >>> 31)) >> 1;
}

function decodeFloats(text: string): Float32Array {
  return new Float32Array(decodeBase64(text).buffer);
}
