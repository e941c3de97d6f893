/** Weight of the mean over blocks of the same path. */
const SMOOTHING = 0.8;

/**
 * Mixes each probability with the word-weighted mean over its path: cards go together.
 *
 * @param paths number of each block's path, below the number of blocks
 */
export function smooth(probabilities: Float32Array, paths: Int32Array, words: Float64Array): Float32Array {
  const size = new Float64Array(probabilities.length);
  const sum = new Float64Array(probabilities.length);
  for (let b = 0; b < probabilities.length; b++) {
    size[paths[b]] += words[b];
    sum[paths[b]] += words[b] * probabilities[b];
  }
  return probabilities.map((p, b) => {
    const path = paths[b];
    return (1 - SMOOTHING) * p + (SMOOTHING * sum[path]) / Math.max(size[path], 1e-9);
  });
}

export interface Choice {
  readonly kept: number[];
  readonly expected: number;
  /** The highest expected F1 of any choice. */
  readonly best: number;
}

/**
 * Keeps the most probable blocks that maximise the expected F-beta of words, approximated as (1 + β²) Σ(w p, kept) / (Σ
 * w, kept + β² Σ w p, all).
 *
 * @param beta weight of recall relative to precision
 */
export function chooseBlocks(probabilities: Float32Array, words: Float64Array, beta = 1): Choice {
  const order = new Uint32Array(probabilities.length);
  for (let b = 0; b < order.length; b++) order[b] = b;
  order.sort((a, b) => probabilities[b] - probabilities[a] || a - b);
  let all = 0;
  for (let b = 0; b < probabilities.length; b++) all += words[b] * probabilities[b];
  let kept = 0;
  let right = 0;
  let highest = 0;
  let expected = 0;
  let best = 0;
  let size = 0;
  for (let place = 0; place < order.length; place++) {
    const b = order[place];
    kept += words[b];
    right += words[b] * probabilities[b];
    const value = right / (kept + beta * beta * all);
    const balanced = (2 * right) / (kept + all);
    best = Math.max(best, balanced);
    if (value > highest) {
      highest = value;
      expected = balanced;
      size = place + 1;
    }
  }
  return { kept: Array.from(order.subarray(0, size).toSorted()), expected, best };
}
