import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BROWSER_CANDIDATES } from '../../packages/server/src/engines/chromium/browsers/browser-flags.ts';
import { startServiceProcess } from '../support/service-process.ts';

const hasBrowser = BROWSER_CANDIDATES.some((file) => existsSync(file));

/** Starts `winnow serve`; resolves with its address once it listens. */
async function serve(t: TestContext, settings: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-warm-'));
  const service = await startServiceProcess({
    dataDir: folder,
    environment: { WINNOW_LOG_LEVEL: 'error', WINNOW_KEEP_WARM: '2m', ...settings },
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  t.after(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });
  return service.url;
}

/** Counts started browsers, running browsers and worker threads. */
async function readParts(url: string): Promise<{ started: number; running: number; threads: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, 'gm'))].reduce((sum, [, n]) => sum + Number(n), 0);
  return {
    started: read('winnow_browsers_started'),
    running: read('winnow_browsers'),
    threads: read('winnow_worker_threads'),
  };
}

test('a thread and a browser are ready when the service listens, and an idle browser ends', async (t) => {
  const url = await serve(t, { WINNOW_BROWSER_IDLE: '1s' });
  assert.equal((await readParts(url)).threads, 1);
  if (!hasBrowser) return;
  // On a slow machine the service listens before its browser has started.
  while ((await readParts(url)).started === 0) await sleep(50);
  while ((await readParts(url)).running > 0) await sleep(50);
  assert.equal((await readParts(url)).started, 1);
});

test('WINNOW_KEEP_WARM=0s starts nothing before it is needed', async (t) => {
  const url = await serve(t, { WINNOW_KEEP_WARM: '0s' });
  assert.deepEqual(await readParts(url), { started: 0, running: 0, threads: 0 });
});

test('idle threads end after WINNOW_KEEP_WARM', async (t) => {
  const url = await serve(t, { WINNOW_KEEP_WARM: '1s', WINNOW_CHROMIUM: 'none' });
  while ((await readParts(url)).threads > 0) await sleep(50);
});
