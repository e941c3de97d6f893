import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_DUMP_TIMEOUT_MS, DEFAULT_LIMITS, DEFAULT_STAGE_TIMEOUT_MS } from '@winnow/contract';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { createLogger } from '../../packages/server/src/composition/process/logger.ts';
import { startService } from '../../packages/server/src/composition/main.ts';
import { assertRefused } from '../support/assert-refused.ts';
import { readReadiness } from '../support/read-readiness.ts';
import { dumpTestPage, getWithoutKey, startForTest } from '../support/start-for-test.ts';
import type { Answer } from '../support/running-service.ts';

// Checks: interface-8
test('the documented defaults equal the defaults of the schemas', () => {
  const config = readConfig({});
  assert.equal(config.dumpTimeoutMs, DEFAULT_DUMP_TIMEOUT_MS);
  assert.equal(config.stageTimeoutMs, DEFAULT_STAGE_TIMEOUT_MS);
  assert.equal(config.maxTimeoutMs, DEFAULT_LIMITS.maxTimeoutMs);
  assert.equal(config.maxUrlLength, DEFAULT_LIMITS.maxUrlLength);
  assert.equal(DEFAULT_STAGE_TIMEOUT_MS, 30_000);
  assert.equal(config.maxBodyBytes, 1024 * 1024);
});

// Checks: interface-1.6
test('openapi.json names the public addresses', async (t) => {
  const addresses = { WINNOW_BASE_URL: 'https://api.example.com', WINNOW_BASE_URL_OVERSEAS: 'https://eu.example.com' };
  const running = await startForTest(t, { ...addresses, WINNOW_REGION: 'asia' });
  const response = await fetch(`${running.url}/openapi.json`);
  const { servers } = (await response.json()) as { servers: { url: string }[] };
  assert.deepEqual(
    servers.map(({ url }) => url),
    Object.values(addresses),
  );
});

// Checks: interface-7-502
test('without a browser the browser engines answer 502 engine_unavailable', async (t) => {
  const running = await startForTest(t, { WINNOW_CHROMIUM: '/no/such/chromium' });
  const body = { url: `${running.pages.url}/article`, options: { engine_preference: 'chrome' } };
  assertRefused(await running.call('/v1/dom/dump', body), 'engine_unavailable', /./, 'fetch');
  assert.equal((await dumpTestPage(running, '/article')).status, 200);
});

// Checks: interface-beyond
test('a deployment that starts no browser is ready without one', async (t) => {
  const running = await startForTest(t, { WINNOW_CHROMIUM: 'none', WINNOW_SELF_TEST: 'true' });
  const { status, checks } = (await readReadiness(running.url)).body;
  assert.equal(status, 'ready', JSON.stringify(checks));
  assert.match(checks['engines']?.detail ?? '', /through 2 engines/);
  const chrome = { url: `${running.pages.url}/article`, options: { engine_preference: 'chrome' } };
  assertRefused(
    await running.call('/v1/dom/dump', chrome),
    'engine_unavailable',
    /this deployment starts none/,
    'fetch',
  );
  assert.equal((await dumpTestPage(running, '/article')).status, 200);
});

// Checks: interface-beyond
test('readyz names the part that does not work', async (t) => {
  const running = await startForTest(t, { WINNOW_CHROMIUM: '/no/such/chromium' });
  const { code, body } = await readReadiness(running.url);
  assert.equal(code, 503);
  const { status, checks } = body;
  assert.equal(status, 'not_ready');
  assert.equal(checks['browser']?.ok, false);
  assert.equal(checks['database']?.ok, true);
  assert.equal((await getWithoutKey(running, '/healthz')).status, 200);
});

// Checks: interface-beyond
test('readyz says that the service is still starting until its parts are warm', async (t) => {
  const running = await startForTest(t, { WINNOW_CHROMIUM: 'none', WINNOW_KEEP_WARM: '2m' });
  const before = await readReadiness(running.url);
  assert.equal(before.code, 503);
  assert.deepEqual(before.body.checks['start'], {
    ...before.body.checks['start'],
    ok: false,
    detail: 'the service is still starting',
  });
  await running.service.warmUp();
  // Answers are reused for a second.
  let after = await readReadiness(running.url);
  while (after.body.checks['start']?.ok !== true) after = await readReadiness(running.url);
  assert.equal(after.code, 200);
});

for (const { who, uid, chromium, sandbox = 'on', warns } of [
  { who: 'root', uid: 0, chromium: process.execPath, warns: 'the service runs as root' },
  { who: 'another user', uid: 1000, chromium: process.execPath, warns: undefined },
  {
    who: 'another user, with the sandbox switched off',
    uid: 1000,
    chromium: process.execPath,
    sandbox: 'off',
    warns: 'WINNOW_CHROMIUM_SANDBOX is off',
  },
  { who: 'root, without browsers', uid: 0, chromium: 'none', warns: undefined },
]) {
  // Checks: threat-sandbox, interface-beyond
  test(`a service run by ${who} ${warns ? 'warns' : 'does not warn'} about browsers without a sandbox, and is ready`, async (t) => {
    t.mock.method(process as Required<typeof process>, 'getuid', () => uid);
    // Any executable does: no browser is started.
    const running = await startForTest(t, { WINNOW_CHROMIUM: chromium, WINNOW_CHROMIUM_SANDBOX: sandbox });
    const { code, body } = await readReadiness(running.url);
    assert.equal(code, 200);
    const { checks } = body;
    assert.equal(/without a sandbox because (.+)/.exec(checks['browser']?.detail ?? '')?.[1], warns);
    const warnings = running.log.filter((line) => line.includes('without its sandbox'));
    assert.deepEqual(
      warnings.map((line) => (JSON.parse(line) as { level: number; msg: string }).msg.includes(`because ${warns}: `)),
      warns ? [true] : [],
    );
  });
}

// Checks: interface-7-500
test('an unexpected error is 500 and reveals no details', async (t) => {
  const running = await startForTest(t);
  const folder = path.join(running.folder, 'snapshots');
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, 'in the way');
  const answer = await dumpTestPage(running, '/article');
  assertRefused(answer, 'internal', /^an unexpected error occurred$/, 'snapshot');
  assert.doesNotMatch(JSON.stringify(answer.body), /snapshots|ENOTDIR|EEXIST/);
  assert.ok(running.log.some((line) => line.includes(answer.body.request_id) && line.includes('snapshots')));
});

// Checks: interface-beyond
test('running requests finish when the service stops, and new ones are refused', async (t) => {
  const running = await startForTest(t);
  const pending = dumpTestPage(running, '/gate');
  while (running.pages.hits('/gate') === 0) await sleep(10);
  const closing = running.service.close();
  const late = await dumpTestPage(running, '/article').catch((error: unknown) => error);
  if (!(late instanceof Error)) assertRefused(late as Answer, 'overloaded', /shutting down/);
  running.pages.openGate();
  assert.equal((await pending).status, 200);
  await closing;
  await assert.rejects(fetch(running.url));
});

// Checks: interface-beyond
test('requests still running after the grace period are answered 503 overloaded', async (t) => {
  const running = await startForTest(t, { WINNOW_SHUTDOWN_GRACE: '100ms' });
  const pending = dumpTestPage(running, '/hang');
  while (running.pages.hits('/hang') === 0) await sleep(10);
  await running.service.close();
  const answer = await pending;
  assertRefused(answer, 'overloaded', /shutting down/);
  assert.equal(answer.headers.get('Retry-After'), '5');
});

// Checks: interface-beyond
test('a second service on the same data folder, or the same port, is refused clearly', async (t) => {
  const running = await startForTest(t);
  const logger = createLogger('silent');
  const again = startService(readConfig({ WINNOW_PORT: '0', WINNOW_DATA_DIR: running.folder }), logger);
  await assert.rejects(again, { name: 'StartError', message: /already serves the data folder .*WINNOW_DATA_DIR/ });
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-second-'));
  t.after(() => rm(folder, { recursive: true }));
  const port = new URL(running.url).port;
  const samePort = startService(readConfig({ WINNOW_PORT: port, WINNOW_DATA_DIR: folder }), logger);
  await assert.rejects(samePort, { name: 'StartError', message: /listens there already.*WINNOW_PORT/ });
  assert.equal((await getWithoutKey(running, '/healthz')).status, 200);
});
