import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..', '..');
const folder = await mkdtemp(path.join(tmpdir(), 'winnow-start-'));
after(() => rm(folder, { recursive: true, force: true }));

test('npm start serves, its printed curl line works, and a signal to npm ends the service cleanly', async () => {
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, WINNOW_PORT: '0', WINNOW_DATA_DIR: folder, WINNOW_SELF_TEST: 'false' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(npm, 'close');
  let printed = '';
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  npm.stdout.on('data', (chunk) => {
    printed += String(chunk);
    if (/-d '\{"extract":\{"dom_id":"dom_\w+"\}\}'\n/.test(printed)) resolve();
  });
  await Promise.race([ready, closed]);
  const url = /listens on (http:\S+)/.exec(printed)?.[1] ?? '';
  const key = /X-API-Key: (wk_\w+)' -d '(\{"extract":\{"dom_id".*?\}\})'/.exec(printed) ?? [];
  const answer = await fetch(`${url}/v1/extract`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key[1] ?? '' },
    body: key[2] ?? '',
  });
  assert.equal(answer.status, 200, await answer.text());

  npm.kill('SIGTERM');
  // The pipe closes only when the last process that holds it has ended: nothing is left behind.
  assert.deepEqual(await closed, [0, null]);
  await assert.rejects(fetch(`${url}/healthz`));
});
