/** A self-test that is killed, stopped or repeated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  launchExternalBrowser,
  startRelayEndpoint,
} from '../../packages/server/src/composition/testing/external-browsers.ts';
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

test('a self-test that fails is repeated until all engines work', async (t) => {
  const browser = await launchExternalBrowser();
  t.after(() => browser.close());
  let isReachable = false;
  const relay = await startRelayEndpoint(new URL(browser.socketUrl ?? ''), (socket, upstream) => {
    if (isReachable) socket.pipe(upstream).pipe(socket);
    else socket.destroy();
  });
  t.after(() => relay.close());
  const running = await startRunning({
    WINNOW_SELF_TEST: 'true',
    WINNOW_CDP_URLS: relay.url,
    WINNOW_CDP_FOR_ALL: 'true',
  });
  t.after(() => running.close());
  assert.match(await readEngines(running.url), /^not ok: .*chrome_cdp.*: no CDP browser answers/);
  isReachable = true;
  while ((await readEngines(running.url)) !== ALL_WORK) await delay(500);
});
