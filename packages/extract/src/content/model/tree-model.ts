/**
 * A gradient-boosted tree model as flat typed arrays. All trees are complete to one depth (a short branch is
 * padded with splits that lead to the same leaf), so that evaluation has no branches but the comparisons.
 */
export interface TreeModel {
  readonly depth: number;
  readonly trees: number;
  /** Column of each split, `2^depth - 1` a tree, level by level. */
  readonly features: Uint16Array;
  /** Values below the cut go left; as order keys, see `toOrderKeys`. */
  readonly cuts: Int32Array;
  /** Log-odds added by each leaf, `2^depth` a tree. */
  readonly leaves: Float32Array;
  /** Rows whose log-odds are below `floor` after the first `trees` trees get no further. */
  readonly probe: Probe;
}

export interface Probe {
  readonly trees: number;
  readonly floor: number;
}

/** A model as shipped: see `training/export.py` for the layout. */
export interface PackedModel {
  readonly depth: number;
  readonly trees: number;
  /** Column names in the order of `features`. */
  readonly columns: readonly string[];
  /** Base64 of the columns of splits, one byte each. */
  readonly features: string;
  /** Base64 of little-endian float32 values. */
  readonly cuts: string;
  readonly leaves: string;
  /** None: all rows go through all trees. */
  readonly probe?: Probe;
}

/** Unpacks a model; `allColumns` are the columns that it will be given. */
export function unpackModel(packed: PackedModel, allColumns: readonly string[]): TreeModel {
  const positions = packed.columns.map((name) => {
    const position = allColumns.indexOf(name);
    if (position < 0) throw new Error(`the model needs a feature that is not computed: ${name}`);
    return position;
  });
  const features = Uint16Array.from(decodeBytes(packed.features), (column) => positions[column]!);
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
 * Adds up the leaves that each row reaches.
 *
 * @param values one column after the other, `rows` values each
 * @returns log-odds, one a row
 */
export function evaluateTrees(model: TreeModel, values: Float32Array, rows: number): Float32Array {
  const sums = new Float32Array(rows);
  const columns = rows === 0 ? 0 : values.length / rows;
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keys = new Int32Array(columns * Math.min(rows, CHUNK));
  for (let from = 0; from < rows; from += CHUNK) {
    const size = Math.min(CHUNK, rows - from);
    for (let column = 0; column < columns; column++) {
      const at = column * rows + from;
      const to = column * size;
      for (let k = 0; k < size; k++) keys[to + k] = toOrderKey(bits[at + k]!);
    }
    evaluateChunk(model, keys, columns, sums.subarray(from, from + size));
  }
  return sums;
}

/** Rows evaluated together: their columns stay in the processor's cache from tree to tree. */
const CHUNK = 256;

/** Adds the leaves of all rows of a chunk, whose columns stand one after the other, to their sums. */
function evaluateChunk(model: TreeModel, keys: Int32Array, columns: number, sums: Float32Array): void {
  const { trees, probe } = model;
  const rows = sums.length;
  new Descent(model, keys, columns, sums).addLeaves(0, probe.trees);
  if (probe.trees === trees) return;
  const left = Int32Array.from(sums.keys()).filter((row) => sums[row]! >= probe.floor);
  const size = left.length;
  if (size === 0) return;
  // Moves the columns of the rows that are left together; what is overwritten has been read.
  for (let column = 0; column < columns; column++) {
    for (let k = 0; k < size; k++) keys[column * size + k] = keys[column * rows + left[k]!]!;
  }
  const leftSums = Float32Array.from(left, (row) => sums[row]!);
  new Descent(model, keys, columns, leftSums).addLeaves(probe.trees, trees);
  for (let k = 0; k < size; k++) sums[left[k]!] = leftSums[k]!;
}

const ALL_ROWS = Uint16Array.from({ length: CHUNK }, (_, row) => row);
/** Rows as splits have parted them: those of one level are read from one and written to the other. */
const EVEN = new Uint16Array(CHUNK);
const ODD = new Uint16Array(CHUNK);

/**
 * Sends the rows of a chunk down trees together. A split that all of them pass on one side, as half of all do (the
 * blocks of one page have much in common), is decided once; the others part the rows. Sending each row down by itself
 * takes half as long again.
 */
class Descent {
  readonly #model: TreeModel;
  /** Splits of a tree. */
  readonly #size: number;
  readonly #keys: Int32Array;
  readonly #sums: Float32Array;
  /** The least and the greatest key of each column. */
  readonly #least: Int32Array;
  readonly #greatest: Int32Array;

  constructor(model: TreeModel, keys: Int32Array, columns: number, sums: Float32Array) {
    this.#model = model;
    this.#size = (1 << model.depth) - 1;
    this.#keys = keys;
    this.#sums = sums;
    this.#least = new Int32Array(columns);
    this.#greatest = new Int32Array(columns);
    const rows = sums.length;
    for (let column = 0; column < columns; column++) {
      let least = keys[column * rows]!;
      let greatest = least;
      for (let k = column * rows + 1; k < (column + 1) * rows; k++) {
        const key = keys[k]!;
        if (key < least) least = key;
        else if (key > greatest) greatest = key;
      }
      this.#least[column] = least;
      this.#greatest[column] = greatest;
    }
  }

  /** Adds the leaves of the trees `from … to - 1` to the sums of the rows. */
  addLeaves(from: number, to: number): void {
    const rows = this.#sums.length;
    for (let tree = from; tree < to; tree++) this.#descend(tree, 0, 0, rows, ALL_ROWS, EVEN);
  }

  /** Sends the rows `source[begin … end - 1]` on from a node; `target` takes them as its split parts them. */
  #descend(tree: number, start: number, begin: number, end: number, source: Uint16Array, target: Uint16Array): void {
    const { features, cuts, leaves } = this.#model;
    const size = this.#size;
    const keys = this.#keys;
    const first = tree * size;
    let node = start;
    let column = 0;
    let cut = 0;
    while (node < size) {
      column = features[first + node]!;
      cut = cuts[first + node]!;
      if (cut > this.#greatest[column]!) node = 2 * node + 1;
      else if (cut <= this.#least[column]!) node = 2 * node + 2;
      else break;
    }
    const sums = this.#sums;
    if (node >= size) {
      const leaf = leaves[first + tree + node - size]!;
      for (let k = begin; k < end; k++) sums[source[k]!]! += leaf;
      return;
    }
    const at = column * sums.length;
    let left = begin;
    let right = end - 1;
    for (let k = begin; k < end; k++) {
      const row = source[k]!;
      // 1 when the key is below the cut; a comparison would be a jump that the processor guesses wrong half the time.
      const isLeft = (keys[at + row]! - cut) >>> 31;
      target[left] = row;
      target[right] = row;
      left += isLeft;
      right += isLeft - 1;
    }
    const next = target === EVEN ? ODD : EVEN;
    if (left > begin) this.#descend(tree, 2 * node + 1, begin, left, target, next);
    if (left < end) this.#descend(tree, 2 * node + 2, left, end, target, next);
  }
}

/**
 * Integers that are ordered as the numbers are, 31 bits each, so that a difference does not overflow. Numbers that
 * differ in the last bit of their mantissa alone share a key.
 */
export function toOrderKeys(values: Float32Array): Int32Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keys = new Int32Array(values.length);
  for (let i = 0; i < keys.length; i++) keys[i] = toOrderKey(bits[i]!);
  return keys;
}

/** The key of a number from its bits. */
function toOrderKey(bits: number): number {
  return ((bits ^ ((bits >> 31) & 0x7fffffff)) + (bits >>> 31)) >> 1;
}

function decodeBytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

function decodeFloats(text: string): Float32Array {
  return new Float32Array(decodeBytes(text).buffer);
}
