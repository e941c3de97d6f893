/** Exponential bins: mergeable, and accurate within half a bin (about 13 %). */
const FIRST_BOUND_MS = 4;
const FACTOR = 1.3;

/** Ends at about 130 s. */
const BIN_COUNT = 41;

export type Histogram = number[];

export function createHistogram(): Histogram {
  return Array.from({ length: BIN_COUNT }, () => 0);
}

export function addLatency(histogram: Histogram, ms: number): void {
  const bin = ms <= FIRST_BOUND_MS ? 0 : Math.ceil(Math.log(ms / FIRST_BOUND_MS) / Math.log(FACTOR));
  const index = Math.min(bin, BIN_COUNT - 1);
  histogram[index] = (histogram[index] ?? 0) + 1;
}

export function mergeHistogram(into: Histogram, other: readonly number[]): void {
  for (const [index, count] of other.entries()) into[index] = (into[index] ?? 0) + count;
}

/** Returns milliseconds; null without requests. */
export function readPercentile(histogram: Histogram, share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  const index = histogram.findIndex((count) => (left -= count) <= 0 && count > 0);
  const upper = FIRST_BOUND_MS * FACTOR ** (index === -1 ? BIN_COUNT - 1 : index);
  // Geometric middle of the bin.
  return Math.round((upper / Math.sqrt(FACTOR)) * 10) / 10;
}
