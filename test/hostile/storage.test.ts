import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startRunning } from '../interface/running-service.ts';
import type { Running } from '../interface/running-service.ts';
import { startTorturedService } from '../torture/start-tortured-service.ts';

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

function dump(running: Running, page: string) {
  const url = running.pages.url + page;
  return running.call('/v1/dom/dump', { url, options: { engine_preference: 'http' } });
}

test('a damaged snapshot file is a logged internal error of stage snapshot, not a crash and not another page', async (t) => {
  const running = await startRunning();
  t.after(() => running.close());
  const { body } = await dump(running, '/article');
  for (const file of await listFiles(path.join(running.folder, 'snapshots'))) await writeFile(file, 'damaged');
  const answer = await running.call('/v1/extract', { extract: { dom_id: body.dom_id } });
  assert.equal(answer.status, 500);
  assert.deepEqual([answer.body.error.code, answer.body.error.stage], ['internal', 'snapshot']);
  assert.doesNotMatch(JSON.stringify(answer.body.error), /damaged|zst/);
  assert.ok(running.log.some((line) => line.includes('"level":50') && line.includes('is damaged')));
  assert.equal((await fetch(`${running.url}/healthz`)).status, 200);
});

test('when snapshots cannot be written nothing is acknowledged, readyz says so, and it heals', async (t) => {
  const running = await startRunning();
  t.after(() => running.close());
  const folder = path.join(running.folder, 'snapshots');
  await rm(folder, { recursive: true });
  // A file in the place of the folder: refused for every user, root included.
  await writeFile(folder, '');
  const refused = await dump(running, '/article');
  assert.equal(refused.status, 500);
  assert.deepEqual([refused.body.error.code, refused.body.error.stage], ['internal', 'snapshot']);
  assert.equal((await running.store.snapshots.list(running.projectId)).items.length, 1, 'only the sample has a row');
  const ready = await fetch(`${running.url}/readyz`);
  assert.equal(ready.status, 503);
  await rm(folder);
  await mkdir(folder);
  assert.equal((await dump(running, '/article')).status, 200);
});

test('a full disk refuses new snapshots and loses none that was acknowledged', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-full-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const size = 'size=80m,mode=0700';
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).status !== 0) {
    return t.skip('a file system of its own needs the right to mount');
  }
  try {
    await fillDisk(folder);
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
});

async function fillDisk(folder: string): Promise<void> {
  const pages = await startRunning();
  const service = await startTorturedService(folder, ['127.0.0.1']);
  try {
    const send = async (target: string, body: object) => {
      const headers = { 'Content-Type': 'application/json', 'X-API-Key': service.key };
      const response = await fetch(service.url + target, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as { dom_id?: string; error?: object } };
    };
    const order = { url: `${pages.pages.url}/article`, options: { engine_preference: 'http' } };
    const first = await send('/v1/dom/dump', order);
    assert.equal(first.status, 200);
    // Another page than the first, since content that is there already needs no room.
    await writeFile(path.join(folder, 'filler'), Buffer.alloc(40 * 1_048_576));
    const second = await send('/v1/dom/dump', { ...order, url: `${pages.pages.url}/large` });
    assert.equal(second.status, 500);
    assert.ok(service.errors.some((line) => line.includes('is full')));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    await rm(path.join(folder, 'filler'));
    assert.equal((await send('/v1/extract', { extract: { dom_id: first.body.dom_id } })).status, 200);
    assert.equal((await send('/v1/dom/dump', { ...order, url: `${pages.pages.url}/large` })).status, 200);
  } finally {
    await service.stop();
    await pages.close();
  }
}
