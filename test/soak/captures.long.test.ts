import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soakCaptures } from './soak-captures.ts';

// Checks: threat-all-faults
void test('good pages are captured despite hostile pages and killed browsers, and no process is left (short form)', async () => {
  const report = await soakCaptures({ captures: 30, hostileEvery: 10, killEvery: 12 });
  assert.deepEqual(report.failures, []);
  assert.equal(report.processesLeft, 0);
  assert.ok(report.hostile >= 3 && report.kills >= 1, JSON.stringify(report));
  assert.ok(report.memoryAfter - report.memoryBefore < 100, JSON.stringify(report));
});
