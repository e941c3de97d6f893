import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKilledBatch } from './run-killed-batch.ts';

test('a batch survives a kill of its process, with each page once in its results', async () => {
  const report = await runKilledBatch(120);
  const { lines, failed, absent, repeated, wrong } = report;
  assert.deepEqual(
    { lines, failed, absent, repeated, wrong },
    { lines: 120, failed: 0, absent: [], repeated: [], wrong: [] },
  );
  assert.ok(report.finishedBeforeKill < 120, 'the kill came in the middle');
});
