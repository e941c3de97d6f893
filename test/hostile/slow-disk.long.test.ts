import { countWaits, slowDown } from './slow-disk.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSite } from '../batches/batch-site.ts';
import type { BatchSite } from '../batches/batch-site.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

/** Delay of a write-through, as on a worn-out or throttled disk. */
const DELAY_MS = 1500;

let running: Running;
let site: BatchSite;
before(async () => {
  [running, site] = await Promise.all([startRunning({ WINNOW_HOST_SPACING: '0s' }), startSite()]);
});
after(async () => {
  slowDown(0);
  await running.close();
  await site.close();
});

const dump = (page: number, timeoutMs = 20_000) =>
  running.call('/v1/dom/dump', {
    url: site.pageUrl(page),
    options: { engine_preference: 'http', timeout_ms: timeoutMs },
  });

// Checks: threat-slow-disk
test('on a slow disk nothing is acknowledged before it is written, and other requests do not wait', async () => {
  slowDown(DELAY_MS);
  const started = performance.now();
  let longestMs = 0;
  const dumps = Promise.all(Array.from({ length: 8 }, (_, page) => dump(page)));
  const done = new AbortController();
  void dumps.finally(() => done.abort());
  // Other requests are answered meanwhile.
  while (!done.signal.aborted) {
    const sentAt = performance.now();
    assert.equal((await fetch(`${running.url}/healthz`)).status, 200);
    longestMs = Math.max(longestMs, performance.now() - sentAt);
  }
  assert.ok(longestMs < DELAY_MS, `healthz took ${longestMs} ms`);
  const answers = await dumps;
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.ok(performance.now() - started >= DELAY_MS, 'acknowledged before it was written');
  assert.ok(countWaits() > 0);
  slowDown(0);
  for (const { body } of answers)
    assert.equal((await running.call('/v1/extract', { extract: { dom_id: body.dom_id } })).status, 200);
});
