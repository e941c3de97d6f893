import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { readyResponseSchema } from '@winnow/contract';
import { ownHelpers, until } from '../../packages/server/src/engines/testing/own-browsers.ts';
import { startRunning } from '../support/running-service.ts';

/** What the check of the engines says once the self-test is over. */
async function readEngines(url: string): Promise<string> {
  for (;;) {
    const { checks } = readyResponseSchema.parse(await (await fetch(`${url}/readyz`)).json());
    const { ok, detail = '' } = checks['engines'] ?? { ok: false };
    if (!detail.startsWith('no answer within')) return `${ok ? 'ok' : 'not ok'}: ${detail}`;
  }
}

const ALL_WORK = 'ok: a page was extracted through 8 engines';

/** Its own process, and those of its browsers. */
const listProcesses = (): number[] => ownHelpers((command) => command.includes('self-test-process'));
const listBrowsers = (): number[] => ownHelpers((command) => command.includes('winnow-chromium-'));

test('the start-up self-test extracts a page through every engine and does not widen the egress policy', async (t) => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true', WINNOW_EGRESS_ALLOW: '' });
  t.after(() => running.close());
  const url = `${running.pages.url}/article`;
  assert.equal((await running.call('/v1/extract', { extract: { url } })).body.error.code, 'url_not_allowed');
  assert.equal(await readEngines(running.url), ALL_WORK);
  // What it took is gone with its process.
  await until(() => listProcesses().length + listBrowsers().length === 0, 'the process to end');
});

test('a self-test whose process is killed is made again', async (t) => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true' });
  t.after(() => running.close());
  await until(() => listBrowsers().length > 0, 'a browser of the self-test');
  for (const pid of listProcesses()) process.kill(pid, 'SIGKILL');
  assert.equal(await readEngines(running.url), ALL_WORK);
});

test('a stop ends a self-test that is under way, with its browsers', async () => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true' });
  await until(() => listBrowsers().length > 0, 'a browser of the self-test');
  await running.close();
  await until(() => listProcesses().length + listBrowsers().length === 0, 'all processes to end');
});

const PROCESS = path.join(import.meta.dirname, '../../packages/server/src/cli/doctor/self-test-process.ts');

test('a self-test that cannot begin is a report, and its process ends', async () => {
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
