import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { until } from '../../packages/server/src/engines/testing/own-browsers.ts';
import { startRunning } from '../support/running-service.ts';
import { ALL_WORK, listBrowsers, listProcesses, readEngines } from './self-test-checks.ts';

// Checks: threat-broken-engine
test('the start-up self-test extracts a page through every engine and does not widen the egress policy', async (t) => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true', WINNOW_EGRESS_ALLOW: '' });
  t.after(() => running.close());
  const url = `${running.pages.url}/article`;
  assert.equal((await running.call('/v1/extract', { extract: { url } })).body.error.code, 'url_not_allowed');
  assert.equal(await readEngines(running.url), ALL_WORK);
  await until(() => listProcesses().length + listBrowsers().length === 0, 'the process to end');
});

test('engines without a browser are one warning, which names the others, and one line of the readiness', async (t) => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true', WINNOW_CHROMIUM: '/nowhere/chromium' });
  t.after(() => running.close());
  const told = /^not ok: engines chrome, chrome_cdp, vendor_lite, vendor_dcl, vendor_dom, stable: no Chromium found/;
  const detail = await readEngines(running.url);
  assert.match(detail, told);
  assert.equal(detail.split('no Chromium found').length, 2, detail);
  const warnings = running.log.filter((line) => line.includes('no Chromium found'));
  assert.equal(warnings.length, 1, warnings.join(''));
  assert.match(warnings[0] ?? '', /install Chromium .*Meanwhile these engines work: auto, http/);
});

const PROCESS = path.join(import.meta.dirname, '../../packages/server/src/cli/doctor/self-test-process.ts');

test('a self-test that cannot start is reported as failed, and its process ends', async () => {
  const child = fork(PROCESS, { serialization: 'advanced' });
  const exited = once(child, 'exit');
  // No configuration at all.
  child.send({});
  const [reports] = (await once(child, 'message')) as [{ name: string; ok: boolean; detail: string }[]];
  assert.deepEqual(
    reports.map(({ name, ok }) => [name, ok]),
    [['self-test', false]],
  );
  assert.match(reports[0]?.detail ?? '', /Error: /);
  assert.deepEqual(await exited, [0, null]);
});
