import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const PAGE = `<!doctype html><title>A slow page</title><main><p>${'The page comes after two seconds. '.repeat(20)}</p></main>`;
const ROOT = path.join(import.meta.dirname, '..', '..');
const folder = await mkdtemp(path.join(tmpdir(), 'winnow-start-'));
after(() => rm(folder, { recursive: true, force: true }));

interface NpmStart {
  readonly process: ChildProcess;
  /** Settles with exit code and signal once the last process that holds the pipe has ended. */
  readonly closed: Promise<unknown>;
  readonly url: string;
  /** Key and body of the curl line for the sample page. */
  readonly key: string;
  readonly body: string;
}

/** Resolves when the first start has printed its lines; npm leads a separate process group, as in a terminal. */
async function startNpm(dataDir: string, environment: Readonly<Record<string, string>> = {}): Promise<NpmStart> {
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, WINNOW_PORT: '0', WINNOW_DATA_DIR: dataDir, WINNOW_SELF_TEST: 'false', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const closed = once(npm, 'close');
  let printed = '';
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  npm.stdout.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.includes('first-start.txt')) resolve();
  });
  await Promise.race([ready, closed]);
  const url = /Listening on (http:\S+)/.exec(printed)?.[1] ?? '';
  const told = await readFile(path.join(dataDir, 'first-start.txt'), 'utf8');
  const [, key = ''] = /X-API-Key: (wk_\w+)/.exec(told) ?? [];
  const [, body = ''] = /-d '(.+)'\n/.exec(told) ?? [];
  return { process: npm, closed, url, key, body };
}

function extract({ url, key }: NpmStart, body: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
  return fetch(`${url}/v1/extract`, { method: 'POST', headers, body });
}

test('npm start serves, its curl line works, and a signal to npm ends the service cleanly', async () => {
  const npm = await startNpm(path.join(folder, 'signal'));
  const answer = await extract(npm, npm.body);
  assert.equal(answer.status, 200, await answer.text());

  npm.process.kill('SIGTERM');
  // The pipe closes only after every process that holds it has ended.
  assert.deepEqual(await npm.closed, [0, null]);
  await assert.rejects(fetch(`${npm.url}/healthz`));
});

test('Ctrl-C at npm start, which signals the service several times, lets a running request finish', async () => {
  const requested = Promise.withResolvers<void>();
  const site = createServer((_request, response) => {
    requested.resolve();
    setTimeout(() => response.setHeader('Content-Type', 'text/html').end(PAGE), 2000);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  try {
    const npm = await startNpm(path.join(folder, 'terminal'), { WINNOW_EGRESS_ALLOW: host });
    const answering = extract(npm, JSON.stringify({ extract: { url: `http://${host}/` } }));
    await requested.promise;
    // As a terminal does; then again, as npm and its script do, after the service has handled the first signal.
    process.kill(-(npm.process.pid ?? 0), 'SIGINT');
    await sleep(100);
    process.kill(-(npm.process.pid ?? 0), 'SIGINT');
    const answer = await answering;
    assert.equal(answer.status, 200, await answer.text());
    await npm.closed;
  } finally {
    site.closeAllConnections();
    site.close();
  }
});
