import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawRandom } from './random-pool.ts';

test('no bytes are returned twice, also after a refill', () => {
  const drawn = Array.from({ length: 5000 }, (_, index) => drawRandom(8 + (index % 9)).toString('hex'));
  assert.equal(new Set(drawn).size, drawn.length);
  assert.ok(drawn.every((text, index) => text.length === 2 * (8 + (index % 9))));
});
