/** How much a block's probability gives way to the mean over blocks of the same path. */
const SMOOTHING = 0.8;

/**
 * Mixes each probability with the word-weighted mean over all blocks of its path: cards go together.
 *
 * @param paths number of each block's path, below the number of blocks
 */
export function smooth(probabilities: Float32Array, paths: Int32Array, words: Float64Array): Float32Array {
  const size = new Float64Array(probabilities.length);
  const sum = new Float64Array(probabilities.length);
  for (let b = 0; b < probabilities.length; b++) {
    size[paths[b]!]! += words[b]!;
    sum[paths[b]!]! += words[b]! * probabilities[b]!;
  }
  return probabilities.map((p, b) => {
    const path = paths[b]!;
    return (1 - SMOOTHING) * p + (SMOOTHING * sum[path]!) / Math.max(size[path]!, 1e-9);
  });
}

/**
 * Keeps the most probable blocks, as many as maximise the expected F1 of words, approximated as
 * 2 Σ(w p, kept) / (Σ w, kept + Σ w p, all).
 */
export function chooseBlocks(probabilities: Float32Array, words: Float64Array): { kept: number[]; expected: number } {
  const order = Array.from(probabilities.keys()).toSorted((a, b) => probabilities[b]! - probabilities[a]! || a - b);
  let all = 0;
  for (let b = 0; b < probabilities.length; b++) all += words[b]! * probabilities[b]!;
  let kept = 0;
  let right = 0;
  let expected = 0;
  let size = 0;
  for (const [place, b] of order.entries()) {
    kept += words[b]!;
    right += words[b]! * probabilities[b]!;
    const value = (2 * right) / (kept + all);
    if (value > expected) {
      expected = value;
      size = place + 1;
    }
  }
  return { kept: order.slice(0, size).toSorted((a, b) => a - b), expected };
}
