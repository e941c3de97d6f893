/**
 * A table: the value of block `b` in column `c` is `values[starts[c] + b]`. Allocating an array per column takes longer
 * than filling the columns of many pages.
 */
export interface Columns {
  readonly values: Float32Array;
  readonly starts: Int32Array;
  /** Shared start of the unused columns. */
  readonly unwanted: number;
}

/** @param places for each feature its column, or -1 */
export function createColumns(places: readonly number[], width: number, count: number): Columns {
  const unwanted = width * count;
  const starts = new Int32Array(places.length);
  for (let c = 0; c < starts.length; c++) starts[c] = places[c] < 0 ? unwanted : places[c] * count;
  return { values: new Float32Array(unwanted + count), starts, unwanted };
}

export function sliceColumns({ values, starts, unwanted }: Columns, from: number, to?: number): Columns {
  return { values, starts: starts.subarray(from, to), unwanted };
}

/** Returns a function that takes consecutive slices of given sizes. */
export function createTaker(columns: Columns): (size: number) => Columns {
  let c = 0;
  return (size) => {
    c += size;
    return sliceColumns(columns, c - size, c);
  };
}

export function fillColumns({ values, starts }: Columns, count: number, value: number): void {
  for (const start of starts) values.fill(value, start, start + count);
}
