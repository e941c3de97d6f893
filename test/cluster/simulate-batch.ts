export interface SimulatedBatch {
  readonly items: number;
  /** Items that all nodes together work on at the same time. */
  readonly places: number;
  /** Milliseconds that an item holds its place. */
  readonly itemMs: number;
}

/** Milliseconds until the last item is done: each goes to the place that is free first. */
export function simulateBatch({ items, places, itemMs }: SimulatedBatch): number {
  const freeAt = Array.from({ length: places }, () => 0);
  for (let item = 0; item < items; item += 1) {
    const first = freeAt.indexOf(Math.min(...freeAt));
    freeAt[first] = (freeAt[first] ?? 0) + itemMs;
  }
  return Math.max(...freeAt);
}
