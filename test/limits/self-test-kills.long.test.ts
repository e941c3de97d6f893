/** A self-test that is killed or stopped while it runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../packages/server/src/engines/testing/own-browsers.ts';
import { startRunning } from '../support/running-service.ts';
import { ALL_WORK, listBrowsers, listProcesses, readEngines } from './self-test-checks.ts';

test('a self-test whose process is killed is repeated', async (t) => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true' });
  t.after(() => running.close());
  await until(() => listBrowsers().length > 0, 'a browser of the self-test');
  for (const pid of listProcesses()) process.kill(pid, 'SIGKILL');
  assert.equal(await readEngines(running.url), ALL_WORK);
});

test('a stop ends a running self-test and its browsers', async () => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true' });
  await until(() => listBrowsers().length > 0, 'a browser of the self-test');
  await running.close();
  await until(() => listProcesses().length + listBrowsers().length === 0, 'all processes to end');
});
