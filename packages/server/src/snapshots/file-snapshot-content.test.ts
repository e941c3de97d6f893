import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { FileSnapshotContent } from './file-snapshot-content.ts';

const HOUR_MS = 60 * 60 * 1000;
let folder: string;
let content: FileSnapshotContent;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-snapshots-'));
  content = new FileSnapshotContent(path.join(folder, 'snapshots'));
});
afterEach(() => rm(folder, { recursive: true }));

function fileOf(hash: string): string {
  return path.join(folder, 'snapshots', hash.slice(0, 2), hash.slice(2, 4), `${hash}.html.zst`);
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

test('a text comes back as it was put, under the SHA-256 of its UTF-8', async () => {
  const html = `<p>Grüße, 世界 🌍</p>${'<div>again</div>'.repeat(5000)}`;
  const stored = await content.put(html);
  assert.equal(await content.get(stored.hash), html);
  assert.equal(stored.bytes, Buffer.byteLength(html));
  assert.equal(stored.storedBytes, (await stat(fileOf(stored.hash))).size);
  assert.ok(stored.storedBytes < stored.bytes / 10, 'it is compressed');
  // echo -n abc | sha256sum
  const abc = await content.put('abc');
  assert.equal(abc.hash, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('the empty text is a text', async () => {
  const stored = await content.put('');
  assert.equal(stored.bytes, 0);
  assert.equal(await content.get(stored.hash), '');
});

test('the same text is stored once, also when it is put many times at the same time', async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => content.put('<p>same</p>')));
  assert.equal(new Set(all.map((stored) => JSON.stringify(stored))).size, 1);
  assert.equal((await listFiles()).length, 1);
});

test('nothing lies at an unknown address, and a malformed one is refused', async () => {
  assert.equal(await content.get('0'.repeat(64)), undefined);
  await assert.rejects(content.get('../../etc/passwd'), /not a content address/);
});

test('damaged files are told, not returned', async () => {
  const { hash } = await content.put('<p>one</p>');
  await writeFile(fileOf(hash), zstdCompressSync('<p>two</p>'));
  await assert.rejects(content.get(hash), /does not fit its address/);
  await writeFile(fileOf(hash), 'not zstd');
  await assert.rejects(content.get(hash), /does not decompress/);
});

test('delete spares what was put again since', async () => {
  const { hash } = await content.put('<p>kept</p>');
  const old = new Date(Date.now() - 2 * HOUR_MS);
  await utimes(fileOf(hash), old, old);
  const sweepTime = new Date(Date.now() - HOUR_MS);
  await content.put('<p>kept</p>');
  await content.delete(hash, sweepTime);
  assert.equal(await content.get(hash), '<p>kept</p>');
  await utimes(fileOf(hash), old, old);
  await content.delete(hash, sweepTime);
  assert.equal(await content.get(hash), undefined);
  await content.delete(hash);
});

test('puts and deletes of one address at the same time never lose an acknowledged put', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { hash } = await content.put('<p>contested</p>');
    const old = new Date(Date.now() - 2 * HOUR_MS);
    await utimes(fileOf(hash), old, old);
    const sweepTime = new Date(Date.now() - HOUR_MS);
    await Promise.all([
      content.delete(hash, sweepTime),
      content.put('<p>contested</p>'),
      content.delete(hash, sweepTime),
    ]);
    assert.equal(await content.get(hash), '<p>contested</p>');
  }
});

test('old content is listed, young is not, and old temporary files go on the way', async () => {
  const old = await content.put('<p>old</p>');
  const young = await content.put('<p>young</p>');
  const time = new Date(Date.now() - 2 * HOUR_MS);
  await utimes(fileOf(old.hash), time, time);
  const left = `${fileOf(old.hash)}.tmp`;
  const fresh = `${fileOf(young.hash)}.tmp`;
  await writeFile(left, 'torn');
  await utimes(left, time, time);
  await writeFile(fresh, 'being written');
  await writeFile(path.join(folder, 'snapshots', 'stray'), 'not ours');
  const listed: string[] = [];
  for await (const hashes of content.listPutBefore(new Date(Date.now() - HOUR_MS))) listed.push(...hashes);
  assert.deepEqual(listed, [old.hash]);
  const files = await listFiles();
  assert.ok(!files.includes(left));
  assert.ok(files.includes(fresh));
});

test('check makes the folder, and says when it cannot be used', async () => {
  await content.check();
  await assert.doesNotReject(readdir(path.join(folder, 'snapshots')));
  await writeFile(path.join(folder, 'file'), '');
  await assert.rejects(new FileSnapshotContent(path.join(folder, 'file', 'snapshots')).check());
});
