import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTorture } from './run-torture.ts';

// Checks: threat-all-faults
test('the service survives 20 seconds of good, slow, hostile and dead sites with kills of browsers and workers', async () => {
  const report = await runTorture({ seconds: 20, callers: 16, killEverySeconds: 4 });
  assert.deepEqual(report.faults, []);
  assert.deepEqual(report.lost, []);
  assert.equal(report.orphans, 0);
  assert.equal(report.exitCode, 0);
  assert.ok(report.workersEnded > 0);
  assert.ok(report.acknowledged > 0);
  assert.ok((report.outcomes['good']?.['ok'] ?? 0) > 0);
});
