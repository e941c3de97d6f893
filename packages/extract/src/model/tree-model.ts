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
  const chunk = new Float32Array(columns * Math.min(rows, CHUNK));
  for (let from = 0; from < rows; from += CHUNK) {
    const size = Math.min(CHUNK, rows - from);
    for (let column = 0; column < columns; column++) {
      const at = column * rows + from;
      chunk.set(values.subarray(at, at + size), column * size);
    }
    evaluateChunk(model, toOrderKeys(chunk), columns, sums.subarray(from, from + size));
  }
  return sums;
}

/** Rows evaluated together: their columns stay in the processor's cache from tree to tree. */
const CHUNK = 256;

/** Adds the leaves of all rows of a chunk, whose columns stand one after the other, to their sums. */
function evaluateChunk(model: TreeModel, keys: Int32Array, columns: number, sums: Float32Array): void {
  const { trees, probe } = model;
  const rows = sums.length;
  addLeaves(model, 0, probe.trees, keys, sums);
  if (probe.trees === trees) return;
  const left = Int32Array.from(sums.keys()).filter((row) => sums[row]! >= probe.floor);
  const size = left.length;
  // Moves the columns of the rows that are left together; what is overwritten has been read.
  for (let column = 0; column < columns; column++) {
    for (let k = 0; k < size; k++) keys[column * size + k] = keys[column * rows + left[k]!]!;
  }
  const leftSums = Float32Array.from(left, (row) => sums[row]!);
  addLeaves(model, probe.trees, trees, keys, leftSums);
  for (let k = 0; k < size; k++) sums[left[k]!] = leftSums[k]!;
}

/** Adds the leaves of the trees `from … to - 1` to the sums of the rows, whose columns stand one after the other. */
function addLeaves(model: TreeModel, from: number, to: number, keys: Int32Array, sums: Float32Array): void {
  const { depth, features, cuts, leaves } = model;
  const rows = sums.length;
  const splits = (1 << depth) - 1;
  const starts = new Int32Array(splits);
  const limits = new Int32Array(splits);
  for (let tree = from; tree < to; tree++) {
    const at = tree * splits;
    for (let s = 0; s < splits; s++) {
      starts[s] = features[at + s]! * rows;
      limits[s] = cuts[at + s]!;
    }
    const leaf = tree * (splits + 1) - splits;
    const rootStart = starts[0]!;
    const rootLimit = limits[0]!;
    // `>>> 31` is the sign of the difference: 1 goes left. A comparison would be a jump that the processor
    // guesses wrong half the time.
    for (let row = 0; row < rows; row++) {
      let node = 2 - ((keys[rootStart + row]! - rootLimit) >>> 31);
      for (let level = 1; level < depth; level++) {
        node = 2 * node + 2 - ((keys[starts[node]! + row]! - limits[node]!) >>> 31);
      }
      sums[row]! += leaves[leaf + node]!;
    }
  }
}

/**
 * Integers that are ordered as the numbers are, 31 bits each, so that a difference does not overflow. Numbers that
 * differ in the last bit of their mantissa alone share a key.
 */
export function toOrderKeys(values: Float32Array): Int32Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keys = new Int32Array(values.length);
  for (let i = 0; i < keys.length; i++) {
    const own = bits[i]!;
    keys[i] = ((own ^ ((own >> 31) & 0x7fffffff)) + (own >>> 31)) >> 1;
  }
  return keys;
}

function decodeBytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

function decodeFloats(text: string): Float32Array {
  return new Float32Array(decodeBytes(text).buffer);
}
