/** Pages and callers that exhaust resources: the service continues and leaks nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MARK } from '../../../../../../test/site/route.ts';
import { Lineage } from '../../../../../../test/torture/processes.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import { failureOf } from '../../testing/assert-fails.ts';
import { ownBrowsers, readProc, until } from '../../testing/own-browsers.ts';
import { startSeparateEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, open, get } = await startSeparateEngines();
after(() => site.close());

const MIB = 1_048_576;

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'captured',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

// Checks: threat-foreign-page
void test('a document without its own URL is captured only if it has the origin of the page', async () => {
  const fetcher = open();
  try {
    const { finalUrl, html } = await get(fetcher, 'vendor_dom', '/leaves-for-blob');
    assert.deepEqual([finalUrl, html.includes(MARK)], [`${site.origin}/leaves-for-blob`, true]);
    assert.equal(await codeOf(get(fetcher, 'vendor_dom', '/leaves-for-blank')), 'render_failed');
  } finally {
    await fetcher.close();
  }
});

// Checks: threat-endless-script
void test('a renderer with too much memory is ended, and its browser continues', async () => {
  const fetcher = open({ maxRendererBytes: 300 * MIB });
  try {
    // An image that never loads gives the page time to grow.
    assert.equal(await codeOf(get(fetcher, 'chrome', '/memory-hog?load=never', 20_000)), 'render_failed');
    const started = fetcher.stats().local.started;
    assert.equal(fetcher.stats().local.killedRenderers, 1);
    assert.ok((await get(fetcher, 'chrome', '/static')).html.includes(MARK));
    assert.equal(fetcher.stats().local.started, started);
  } finally {
    await fetcher.close();
  }
});

// Checks: threat-renderer-secrets
void test('browsers do not inherit the environment of the service', async () => {
  process.env['WINNOW_TEST_SECRET'] = 'postgres://winnow:hunter2@db';
  const fetcher = open();
  try {
    await get(fetcher, 'chrome', '/static');
    const environments = ownBrowsers().map((pid) => readProc(pid, 'environ'));
    assert.ok(environments.some((text) => text.includes('PATH=') && text.includes('HOME=')));
    for (const text of environments) assert.doesNotMatch(text, /hunter2|WINNOW_/);
  } finally {
    await fetcher.close();
    delete process.env['WINNOW_TEST_SECRET'];
  }
});

// Checks: threat-browser-fault
void test('a page that crashes its renderer fails and is not requested again', async () => {
  const fetcher = open({ browserArgs: ['--js-flags=--max-old-space-size=32'] });
  try {
    const requestsBefore = site.requests.filter((path) => path === '/heap-hog').length;
    assert.equal(await codeOf(get(fetcher, 'chrome', '/heap-hog')), 'render_failed');
    assert.equal(site.requests.filter((path) => path === '/heap-hog').length, requestsBefore + 1);
    assert.equal((await get(fetcher, 'chrome', '/static')).statusCode, 200);
    assert.equal(fetcher.stats().local.started, 1);
  } finally {
    await fetcher.close();
  }
});

void test('a page that closes itself is captured, or fails alone and without a retry', async () => {
  const fetcher = open();
  const requestCount = (path: string): number => site.requests.filter((request) => request === path).length;
  try {
    for (const engine of ['vendor_dom', 'chrome_cdp'] as const) {
      const paths = ['itself', 'named', 'frame', 'borrowed', 'popup'].map((by) => `/closes-itself?by=${by}`);
      const pages = await Promise.all(paths.map((path) => get(fetcher, engine, path)));
      for (const { html, partial, finalUrl } of pages)
        assert.deepEqual([html.includes(MARK), partial], [true, false], `${engine} ${finalUrl}`);
      // The page's scripts cannot replace a function that a cross-origin frame calls.
      const requestsBefore = requestCount('/closes-itself?by=sandbox');
      const failure = await failureOf(get(fetcher, engine, '/closes-itself?by=sandbox'), engine);
      assert.deepEqual([failure.code, failure.message], ['render_failed', 'the page closed itself']);
      assert.equal(requestCount('/closes-itself?by=sandbox'), requestsBefore + 1);
      await get(fetcher, engine, '/static');
    }
    assert.deepEqual([fetcher.stats().local.started, fetcher.stats().cdp.started], [1, 1]);
  } finally {
    await fetcher.close();
  }
});

void test('captures wait in a queue, and are rejected when it is full or their time is up', async () => {
  const fetcher = open({ browserConcurrency: 1, browserQueue: 2 });
  try {
    // The browser starts before the measured capture.
    await get(fetcher, 'vendor_dcl', '/static');
    const first = get(fetcher, 'chrome', '/hanging-image', 4000);
    const queued = get(fetcher, 'vendor_dcl', '/static');
    const hurried = codeOf(get(fetcher, 'vendor_dcl', '/static', 500));
    const excess = codeOf(get(fetcher, 'vendor_dcl', '/static'));
    assert.equal(await excess, 'overloaded');
    assert.equal(await hurried, 'overloaded');
    assert.ok((await first).partial);
    assert.ok(((await queued).timings['queue'] ?? 0) > 1000);
    assert.deepEqual(fetcher.stats().slots, { active: 0, waiting: 0 });
  } finally {
    await fetcher.close();
  }
});

// Checks: threat-hang-up
void test('a caller that disconnects frees its slot', async () => {
  const fetcher = open({ browserConcurrency: 1 });
  try {
    const caller = new AbortController();
    const work = codeOf(get(fetcher, 'chrome', '/hanging-image', 30_000, caller.signal));
    await until(() => site.requests.includes('/hang'), 'the page');
    caller.abort();
    assert.equal(await work, 'overloaded');
    assert.equal((await get(fetcher, 'chrome', '/static')).statusCode, 200);
  } finally {
    await fetcher.close();
  }
});

void test('without Chromium captures fail with engine_unavailable, and check reports it', async () => {
  const fetcher = open({ browserExecutables: ['/no/such/chromium'] });
  assert.equal(await codeOf(get(fetcher, 'chrome', '/static')), 'engine_unavailable');
  assert.deepEqual(
    (await fetcher.check()).filter(({ ok }) => ok).map(({ engine }) => engine),
    ['http'],
  );
  await fetcher.close();
});

// Checks: threat-browser-fault
void test('a killed process leaves no browser, and the next one removes its profiles', async () => {
  const script = fileURLToPath(new URL('../../../../../../test/crash/capture-until-killed.ts', import.meta.url));
  const child = spawn(process.execPath, [script, site.origin], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  const browsers = new Lineage(pid);
  browsers.look();
  assert.ok(browsers.listLiving().length > 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => browsers.listLiving().length === 0, 'orphans to end');
  const profilesOf = (owner: number): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('winnow-chromium-') && name.includes(`-${owner}-`));
  // In containers successive processes of the service share an id.
  const former = `winnow-chromium-${hostname()}-${process.pid}-former`;
  mkdirSync(join(tmpdir(), former, 'Default'), { recursive: true });
  const [neighbour, fetcher] = [open(), open()];
  try {
    await get(fetcher, 'vendor_dcl', '/static');
    assert.deepEqual([profilesOf(pid), profilesOf(process.pid).includes(former)], [[], false]);
    const inUse = profilesOf(process.pid);
    await get(neighbour, 'vendor_dcl', '/static');
    assert.ok(inUse.length > 0 && inUse.every((name) => profilesOf(process.pid).includes(name)));
  } finally {
    await fetcher.close();
    await neighbour.close();
  }
  assert.deepEqual(profilesOf(process.pid), []);
});
