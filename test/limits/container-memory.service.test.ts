import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { dumpTestPage, startForTest } from '../support/start-for-test.ts';

const MIB = 2 ** 20;

test('a service of eight cores in a small container starts as many workers as its memory allows', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => 1024 * MIB);
  t.mock.method(os, 'availableParallelism', () => 8);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const running = await startForTest(t, { WINNOW_WORKER_THREADS: '', WINNOW_CHROMIUM: 'none' });
  const { dom_id } = (await dumpTestPage(running, '/article')).body;
  const pages = Array.from({ length: 8 }, () => running.call('/v1/extract', { extract: { dom_id } }));
  for (const { status, body } of await Promise.all(pages)) assert.equal(status, 200, JSON.stringify(body));
  const metrics = await (await fetch(`${running.url}/metrics`)).text();
  assert.equal(/^winnow_worker_threads (\d+)$/m.exec(metrics)?.[1], '2');
});
