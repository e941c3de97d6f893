import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseBlocks, smooth } from './decide.ts';

test('blocks are kept while they raise the expected F1', () => {
  const words = Float64Array.of(10, 100, 10, 50);
  const { kept, expected } = chooseBlocks(Float32Array.of(0.9, 0.95, 0.05, 0.6), words);
  assert.deepEqual(kept, [0, 1, 3]);
  const right = 10 * 0.9 + 100 * 0.95 + 50 * 0.6;
  assert.ok(Math.abs(expected - (2 * right) / (160 + right + 0.5)) < 1e-6);
});

test('beta weighs recall against precision, and the expected F1 describes the kept blocks', () => {
  const words = Float64Array.of(100, 60, 60);
  const probabilities = Float32Array.of(0.95, 0.5, 0.3);
  const precise = chooseBlocks(probabilities, words, 0.5);
  const balanced = chooseBlocks(probabilities, words);
  const complete = chooseBlocks(probabilities, words, 2);
  assert.deepEqual([precise.kept, balanced.kept, complete.kept], [[0], [0, 1], [0, 1, 2]]);
  assert.ok(precise.expected < balanced.expected && complete.expected < balanced.expected);
  assert.equal(precise.best, balanced.expected);
});

test('a page without blocks keeps nothing', () => {
  assert.deepEqual(chooseBlocks(new Float32Array(0), new Float64Array(0)), {
    kept: [],
    expected: 0,
    best: 0,
  });
});

test('smoothing moves blocks of one path towards their mean, and with a share towards the mean of their section', () => {
  const probabilities = Float32Array.of(0.2, 0.8, 0.5);
  const paths = Int32Array.of(0, 0, 1);
  const words = Float64Array.of(1, 1, 4);
  // The page, two sections, an element in each, and one element a block.
  const scopes = {
    parent: Int32Array.of(-1, 0, 0, 1, 2, 3, 3, 4),
    leaf: Int32Array.of(5, 6, 7),
    from: Int32Array.of(0, 0, 2, 0, 2, 0, 1, 2),
    to: Int32Array.of(3, 2, 3, 2, 3, 1, 2, 3),
  };
  const smoothed = smooth(probabilities, paths, words, { scopes, words, share: 0, levels: 0 });
  assert.ok(smoothed[0] > 0.2 && smoothed[1] < 0.8 && smoothed[0] < smoothed[1]);
  assert.equal(smoothed[2], 0.5);
  const apart = smooth(probabilities, Int32Array.of(0, 1, 2), words, {
    scopes,
    words,
    share: 0.3,
    levels: 2,
  });
  assert.ok(apart[0] > 0.2 && apart[1] < 0.8);
  assert.ok(Math.abs(apart[0] - (0.7 * 0.2 + 0.3 * 0.5)) < 1e-6);
});
