import type { Scopes } from '../blocks/scopes.ts';

/** Weight of the mean over blocks of the same path. */
const SMOOTHING = 0.8;

/**
 * Mixes each probability with the word-weighted means of its path (the same part of each card) and its section.
 *
 * @param paths number of each block's path, below the number of blocks
 */
export function smooth(
  probabilities: Float32Array,
  paths: Int32Array,
  words: Float64Array,
  section: Section,
): Float32Array {
  const { scopes, share, levels } = section;
  const { length } = probabilities;
  const size = new Float64Array(length);
  const sum = new Float64Array(length);
  const sizeBefore = new Float64Array(length + 1);
  const sumBefore = new Float64Array(length + 1);
  for (let b = 0; b < length; b++) {
    size[paths[b]] += words[b];
    sum[paths[b]] += words[b] * probabilities[b];
    sizeBefore[b + 1] = sizeBefore[b] + section.words[b];
    sumBefore[b + 1] = sumBefore[b] + section.words[b] * probabilities[b];
  }
  return probabilities.map((p, b) => {
    const ofPath = sum[paths[b]] / Math.max(size[paths[b]], 1e-9);
    if (share === 0) return (1 - SMOOTHING) * p + SMOOTHING * ofPath;
    let scope = scopes.leaf[b];
    for (let level = 0; level < levels; level++) scope = Math.max(0, scopes.parent[scope]);
    const [from, to] = [scopes.from[scope], scopes.to[scope]];
    const ofSection = (sumBefore[to] - sumBefore[from]) / Math.max(sizeBefore[to] - sizeBefore[from], 1e-9);
    return (1 - SMOOTHING) * p + (SMOOTHING - share) * ofPath + share * ofSection;
  });
}

export interface SectionShare {
  /** Part of the path's weight that the section's mean gets. */
  readonly share: number;
  /** Levels from a block's element up to its section. */
  readonly levels: number;
}

interface Section extends SectionShare {
  readonly scopes: Pick<Scopes, 'parent' | 'leaf' | 'from' | 'to'>;
  /** Counted words by block. */
  readonly words: Float64Array;
}

export interface Choice {
  readonly kept: number[];
  readonly expected: number;
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
