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

test('without any block nothing is kept', () => {
  assert.deepEqual(chooseBlocks(new Float32Array(0), new Float64Array(0)), {
    kept: [],
    expected: 0,
  });
});

test('blocks of one path move towards their mean', () => {
  const smoothed = smooth(Float32Array.of(0.2, 0.8, 0.5), Int32Array.of(0, 0, 1), Float64Array.of(1, 1, 4));
  assert.ok(smoothed[0]! > 0.2 && smoothed[1]! < 0.8 && smoothed[0]! < smoothed[1]!);
  assert.equal(smoothed[2], 0.5);
});
