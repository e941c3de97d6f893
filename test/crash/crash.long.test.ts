import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCrashes } from './run-crashes.ts';

// Checks: threat-crash
test('8 kills during dumps lose no acknowledged snapshot', async () => {
  const report = await runCrashes({ kills: 8 });
  assert.ok(report.acknowledged > 8, `only ${report.acknowledged} dumps were acknowledged: the kills came too early`);
  assert.ok(report.rows >= report.acknowledged);
  assert.deepEqual(report.lost, []);
  assert.deepEqual(report.rowsWithoutBytes, []);
});
