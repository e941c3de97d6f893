/** The data folder becomes read-only, by an administrator or by a failing disk. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LocalSnapshotContent } from '../../packages/server/src/snapshots/local-snapshot-content.ts';
import { startSite } from '../batches/batch-site.ts';
import type { BatchSite } from '../batches/batch-site.ts';
import { startTorturedService } from '../torture/start-tortured-service.ts';
import type { TorturedService } from '../torture/start-tortured-service.ts';
import { send } from './send.ts';

const run = promisify(execFile);
const IMAGE_BYTES = 96 * 1_048_576;

let site: BatchSite;
let folder: string;
let image: string;
let data: string;
before(async () => {
  site = await startSite();
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-read-only-'));
  [image, data] = [path.join(folder, 'image'), path.join(folder, 'data')];
  await mkdir(data);
});
after(async () => {
  await site.close();
  while (spawnSync('umount', ['-l', data]).status === 0);
  await rm(folder, { recursive: true, force: true });
});

/** Creates and mounts a file system; returns false if that is not permitted. */
async function mountDisk(): Promise<boolean> {
  await writeFile(image, '');
  await truncate(image, IMAGE_BYTES);
  if (spawnSync('mkfs.ext4', ['-q', image]).status !== 0) return false;
  return spawnSync('mount', ['-o', 'loop,errors=remount-ro', image, data]).status === 0;
}

const order = (page: number) => ({ url: site.pageUrl(page), options: { engine_preference: 'http' } });

async function readiness(service: TorturedService): Promise<number> {
  return (await fetch(`${service.url}/readyz`)).status;
}

/** The service reuses a readiness result for a second. */
async function untilReadiness(service: TorturedService, status: number): Promise<void> {
  for (;;) {
    const found = await readiness(service);
    if (found === status) return;
    await sleep(100);
  }
}

/** Writes to open files may succeed until a probe notices. */
async function expectReadOnly(service: TorturedService, domId: string | undefined, page: number): Promise<void> {
  await untilReadiness(service, 503);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const refused = await send(service, '/v1/dom/dump', order(page + attempt));
    assert.equal(refused.status, 500);
    assert.deepEqual([refused.body.error?.code, refused.body.error?.stage], ['internal', 'snapshot']);
    assert.doesNotMatch(JSON.stringify(refused.body), /read-only|EROFS|sqlite|readonly/i);
    assert.equal((await send(service, '/v1/extract', { extract: { dom_id: domId } })).status, 200);
  }
  assert.equal(await readiness(service), 503);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
}

/** Counts the snapshots that a newly opened store can read. */
async function countReadable(at: string): Promise<number> {
  const content = new LocalSnapshotContent(path.join(at, 'snapshots'));
  let count = 0;
  try {
    for await (const hashes of content.listPutBefore(new Date(Date.now() + 1000))) {
      for (const hash of hashes) if ((await content.get(hash)) !== undefined) count += 1;
    }
  } finally {
    await content.close();
  }
  return count;
}

// Checks: threat-read-only-disk
test('with a read-only data folder new captures fail, stored pages are served, and the service recovers', async (t) => {
  const plain = path.join(folder, 'plain');
  await mkdir(plain);
  const service = await startTorturedService(plain, ['127.0.0.1']);
  t.after(() => service.stop());
  const kept = await send(service, '/v1/dom/dump', order(1));
  assert.equal(kept.status, 200);
  // The mount covers the folder: files opened from now on are read-only, open files stay writable.
  if (spawnSync('mount', ['--bind', plain, plain]).status !== 0) return t.skip('needs the right to mount');
  try {
    await run('mount', ['-o', 'remount,bind,ro', plain]);
    await expectReadOnly(service, kept.body.dom_id, 2);
    assert.ok(await countReadable(plain), 'with the write-ahead log of the service');
  } finally {
    // Files in it may still be open for reading.
    await run('umount', ['-l', plain]);
  }
  assert.equal((await send(service, '/v1/dom/dump', order(2))).status, 200);
  await untilReadiness(service, 200);
  await service.stop();
  assert.equal(spawnSync('mount', ['-o', 'bind,ro', plain, plain]).status, 0);
  try {
    await run('mount', ['-o', 'remount,bind,ro', plain]);
    assert.ok(await countReadable(plain), 'without a write-ahead log');
  } finally {
    await run('umount', ['-l', plain]);
  }
});

// Checks: threat-read-only-disk
test('a failing disk that becomes read-only loses no data, and a start on it is refused', async (t) => {
  if (!(await mountDisk())) return t.skip('needs the right to mount, and a loop device');
  const service = await startTorturedService(data, ['127.0.0.1']);
  t.after(() => service.stop());
  const kept = await send(service, '/v1/dom/dump', order(1));
  assert.equal(kept.status, 200);
  // Aborts the journal, as the kernel does after disk errors; open files become read-only too.
  await run('mount', ['-o', 'remount,abort', data]);
  await expectReadOnly(service, kept.body.dom_id, 2);
  await service.stop();
  await assert.rejects(startTorturedService(data, ['127.0.0.1'], service.key), /ended with code [1-9]/);

  await run('umount', [data]);
  spawnSync('e2fsck', ['-p', image]);
  await run('mount', ['-o', 'loop', image, data]);
  const next = await startTorturedService(data, ['127.0.0.1'], service.key);
  try {
    assert.equal((await send(next, '/v1/extract', { extract: { dom_id: kept.body.dom_id } })).status, 200);
    assert.equal((await send(next, '/v1/dom/dump', order(2))).status, 200);
    await untilReadiness(next, 200);
  } finally {
    assert.equal(await next.stop(), 0);
  }
});
