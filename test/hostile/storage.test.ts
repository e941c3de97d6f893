import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { damageContent } from '../../packages/server/src/snapshots/testing/change-content.ts';
import { startRunning } from '../interface/running-service.ts';
import type { Running } from '../interface/running-service.ts';
import { startTorturedService } from '../torture/start-tortured-service.ts';
import { send } from './send.ts';

function dump(running: Running, page: string) {
  const url = running.pages.url + page;
  return running.call('/v1/dom/dump', { url, options: { engine_preference: 'http' } });
}

test('a damaged snapshot is a logged internal error of stage snapshot, not a crash and not another page', async (t) => {
  const running = await startRunning();
  t.after(() => running.close());
  const { body } = await dump(running, '/article');
  const row = await running.store.snapshots.find(running.projectId, body.dom_id);
  damageContent(path.join(running.folder, 'snapshots'), row?.hash ?? '', Buffer.from('damaged'));
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

for (const [name, file, table] of [
  ['the database', 'winnow.db', 'snapshots'],
  ['the database of the snapshots', 'snapshots/content.db', 'contents'],
] as const)
  test(`a damaged page of ${name} is an internal error, readyz says so, and the service stays up`, async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'winnow-damaged-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const pages = await startRunning();
    t.after(() => pages.close());
    const order = { url: `${pages.pages.url}/article`, options: { engine_preference: 'http' } };
    const first = await startTorturedService(folder, ['127.0.0.1']);
    const kept = await send(first, '/v1/dom/dump', order);
    assert.equal(kept.status, 200);
    assert.equal(await first.stop(), 0);
    damageTable(path.join(folder, file), table);

    const service = await startTorturedService(folder, ['127.0.0.1'], first.key);
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const read = await send(service, '/v1/extract', { extract: { dom_id: kept.body.dom_id } });
        const written = await send(service, '/v1/dom/dump', order);
        assert.deepEqual([read.status, written.status], [500, 500]);
        assert.deepEqual([read.body.error?.code, read.body.error?.stage], ['internal', 'snapshot']);
        assert.doesNotMatch(JSON.stringify([read.body, written.body]), /malformed|sqlite|\.db/i);
      }
      const ready = await fetch(`${service.url}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /the database file is damaged, restore a backup/);
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    } finally {
      assert.equal(await service.stop(), 0);
    }
    assert.ok(service.errors.some((line) => line.includes('malformed')));
  });

/** Overwrites the first page of a table in a database that nobody has open. */
function damageTable(file: string, table: string): void {
  const database = new DatabaseSync(file);
  const { rootpage } = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  const { page_size: pageSize } = database.prepare('PRAGMA page_size').get() as { page_size: number };
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(pageSize, 0x5a), 0, pageSize, (rootpage - 1) * pageSize);
  closeSync(descriptor);
}

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

/** Every path has a page of its own. */
async function startSite(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<!doctype html><title>${request.url}</title><p>${'The text of a page of its own. '.repeat(20)}</p>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function fillDisk(folder: string): Promise<void> {
  const site = await startSite();
  const service = await startTorturedService(folder, ['127.0.0.1']);
  try {
    const order = { url: `${site.url}/first`, options: { engine_preference: 'http' } };
    const first = await send(service, '/v1/dom/dump', order);
    assert.equal(first.status, 200);
    await writeFile(path.join(folder, 'filler'), Buffer.alloc(40 * 1_048_576));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    // The disk is not asked at every write. Each page is another one: content that is there already needs no room.
    const refused = async (attempt: number): Promise<boolean> => {
      const { status } = await send(service, '/v1/dom/dump', { ...order, url: `${site.url}/${attempt}` });
      return status === 500;
    };
    let attempt = 0;
    while (!(await refused(attempt))) assert.ok((attempt += 1) < 1000, 'a full disk takes everything');
    await rm(path.join(folder, 'filler'));
    assert.equal((await send(service, '/v1/extract', { extract: { dom_id: first.body.dom_id } })).status, 200);
    assert.equal((await send(service, '/v1/dom/dump', { ...order, url: `${site.url}/again` })).status, 200);
  } finally {
    await service.stop();
    await site.close();
  }
  assert.ok(service.errors.some((line) => line.includes('is full')));
}
