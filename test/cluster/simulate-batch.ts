export interface SimulatedBatch {
  readonly items: number;
  /** Concurrent items of all nodes together. */
  readonly places: number;
  /** Milliseconds that an item takes. */
  readonly itemMs: number;
}

/** Returns the milliseconds until the last item is done; each item takes the first free place. */
export function simulateBatch({ items, places, itemMs }: SimulatedBatch): number {
  const freeAt = Array.from({ length: places }, () => 0);
  for (let item = 0; item < items; item += 1) {
    const first = freeAt.indexOf(Math.min(...freeAt));
    freeAt[first] = (freeAt[first] ?? 0) + itemMs;
  }
  return Math.max(...freeAt);
}
