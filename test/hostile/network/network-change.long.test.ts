import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Outcome } from './capture-while-network-changes.ts';
import { findObstacle } from './two-networks.ts';

const skip = findObstacle() ?? false;

// Checks: threat-browser-fault
test('captures are retried once when the network of the machine changes meanwhile', { skip }, async () => {
  const script = path.join(import.meta.dirname, 'capture-while-network-changes.ts');
  const { stdout } = await promisify(execFile)('unshare', ['-n', process.execPath, script]);
  assert.deepEqual(JSON.parse(stdout) as Outcome[], [
    ['chrome', '/slow', 'whole', 2],
    ['chrome_cdp', '/slow', 'whole', 2],
    ['chrome', '/slow-script', 'whole', 2],
  ]);
});
