/** A full disk, and a database that cannot be opened. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { damageContentSchema } from '../../packages/server/src/snapshots/testing/change-content.ts';
import { startTorturedService } from '../torture/start-tortured-service.ts';
import type { TorturedService } from '../torture/start-tortured-service.ts';
import { send } from './send.ts';
import type { Sent } from './send.ts';
import { serveDistinctPages } from './serve-distinct-pages.ts';

// Checks: threat-full-disk
test('a full disk refuses new snapshots and loses no acknowledged ones', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-full-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const size = 'size=80m,mode=0700';
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).status !== 0) {
    return t.skip('needs the right to mount');
  }
  try {
    await fillDisk(folder);
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
});

/** Every page is different: content that is already stored needs no space. */
async function dumpUntilRefused(service: TorturedService, site: string): Promise<Sent> {
  // Free space is not measured at every write.
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const order = { url: `${site}/${attempt}`, options: { engine_preference: 'http' } };
    const answer = await send(service, '/v1/dom/dump', order);
    if (answer.status !== 200) return answer;
  }
  return assert.fail('a full disk accepts every snapshot');
}

function assertFull({ status, retryAfter, body }: Sent, stage: string): void {
  assert.deepEqual([status, body.error?.code, body.error?.stage], [503, 'overloaded', stage]);
  assert.ok(Number(retryAfter) >= 1);
}

async function fillDisk(folder: string): Promise<void> {
  const site = await serveDistinctPages();
  const service = await startTorturedService(folder, ['127.0.0.1']);
  try {
    const order = { url: `${site.url}/first`, options: { engine_preference: 'http' } };
    const first = await send(service, '/v1/dom/dump', order);
    assert.equal(first.status, 200);
    await writeFile(path.join(folder, 'filler'), Buffer.alloc(40 * 1_048_576));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    for (let count = 0; count < 5; count += 1) assertFull(await dumpUntilRefused(service, site.url), 'snapshot');
    await rm(path.join(folder, 'filler'));
    assert.equal((await send(service, '/v1/extract', { extract: { dom_id: first.body.dom_id } })).status, 200);
    assert.equal((await send(service, '/v1/dom/dump', { ...order, url: `${site.url}/again` })).status, 200);
  } finally {
    await service.stop();
    await site.close();
  }
  // All failures are logged once, without a stack.
  assert.equal(service.errors.length, 1, service.errors.join('\n'));
  assert.match(service.errors[0] ?? '', /"the disk of \S+ is full: less than 64 MiB are free","failures":1/);
}

// Checks: threat-full-disk
test('on a full disk, batches are refused as overloaded, and serve and doctor say what to do', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-full-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m,mode=0700', 'tmpfs', folder]).status !== 0) {
    return t.skip('needs the right to mount');
  }
  try {
    const service = await startTorturedService(folder, ['127.0.0.1']);
    try {
      const free = fillWholly(folder);
      const pages = Array.from({ length: 5000 }, (_, index) => `https://a.example/${'x'.repeat(500)}${index}`);
      for (let count = 0; count < 3; count += 1)
        assertFull(await send(service, '/v1/batches', { urls: pages }), 'request');
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
      assert.equal(service.errors.length, 1, service.errors.join('\n'));
      free();
      assert.equal((await send(service, '/v1/batches', { urls: pages.slice(0, 1) })).status, 200);
    } finally {
      await service.kill();
    }
    fillWholly(folder);
    const started = runWinnow(folder, 'serve');
    assert.equal(started.status, 1);
    assert.match(started.stderr, /^winnow: [^\n]*free space on its disk[^\n]*\n$/);
    const examined = runWinnow(folder, 'doctor');
    assert.equal(examined.status, 1);
    assert.match(examined.stdout, /^FAILED {2}data folder: [^\n]*is full[^\n]*\n {8}→ free space on its disk/m);
    assert.match(examined.stdout, /^FAILED {2}database: [^\n]*full[^\n]*\n {8}→ free space on its disk/m);
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
});

/** Fills the disk to the last byte; returns a function that frees it. */
function fillWholly(folder: string): () => void {
  const file = path.join(folder, 'filler');
  const descriptor = openSync(file, 'a');
  for (const size of [1_048_576, 4096, 1]) {
    try {
      while (writeSync(descriptor, Buffer.alloc(size)) === size);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
  closeSync(descriptor);
  return () => unlinkSync(file);
}

function runWinnow(dataDir: string, command: string): { status: number | null; stdout: string; stderr: string } {
  const environment = {
    WINNOW_DATA_DIR: dataDir,
    WINNOW_PORT: '0',
    WINNOW_CHROMIUM: 'none',
    WINNOW_SELF_TEST: 'false',
  };
  return spawnSync(path.join(import.meta.dirname, '../../winnow'), [command], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
  });
}

// Checks: threat-damaged-files
test('a snapshot database too damaged to open is an internal error, and readyz says so', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-damaged-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const first = await startTorturedService(folder, ['127.0.0.1']);
  assert.equal(await first.stop(), 0);
  damageContentSchema(path.join(folder, 'snapshots'));
  const site = await serveDistinctPages();
  const service = await startTorturedService(folder, ['127.0.0.1'], first.key);
  try {
    const order = { url: `${site.url}/page`, options: { engine_preference: 'http' } };
    assert.equal((await send(service, '/v1/dom/dump', order)).status, 500);
    const ready = await fetch(`${service.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /the database file is damaged, restore a backup/);
  } finally {
    assert.equal(await service.stop(), 0);
    await site.close();
  }
});
