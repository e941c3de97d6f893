import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capturePlacements } from './capture-placements.ts';
import { KNOWN_LEAKS, PLACEMENTS } from './placements.ts';

/** Most hidden instructions that may reach an answer with the `stable` engine. */
const MOST_LEAKS = 8;

// Checks: threat-hidden-text
void test('only the documented placements of hidden text reach a field of an extraction of a stable capture', async () => {
  const { leaks, damaged } = await capturePlacements(PLACEMENTS);
  assert.deepEqual(damaged, []);
  assert.deepEqual(leaks.toSorted(), KNOWN_LEAKS.stable.toSorted());
  assert.ok(leaks.length <= MOST_LEAKS);
});
