/** Contract of every snapshot storage: a folder, and S3 with and without conditional writes. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { LocalSnapshotContent } from './local-snapshot-content.ts';
import { S3SnapshotContent } from './s3-snapshot-content.ts';
import { ageContent, damageContent } from './testing/change-content.ts';
import { startTestS3 } from './testing/test-s3.ts';

interface TestPlace {
  readonly content: SnapshotContent;
  /** Sets the time of the last put. */
  age(hash: string, time: Date): Promise<void>;
  overwrite(hash: string, bytes: Uint8Array): Promise<void>;
  /** Takes the storage away. */
  lose(): Promise<void>;
  stop(): Promise<void>;
}

const PLACES: readonly { readonly name: string; readonly start: () => Promise<TestPlace> }[] = [
  { name: 'a folder', start: startFolder },
  { name: 'S3', start: () => startS3(true) },
  { name: 'S3 without conditional writes', start: () => startS3(false) },
];

const HOUR_MS = 60 * 60 * 1000;

for (const { name, start } of PLACES) {
  describe(`snapshots in ${name}`, () => {
    let place: TestPlace;
    let content: SnapshotContent;

    before(async () => {
      place = await start();
      content = place.content;
    });
    after(() => place.stop());

    const listBefore = async (time: Date): Promise<string[]> => {
      const listed: string[] = [];
      for await (const hashes of content.listPutBefore(time)) listed.push(...hashes);
      return listed;
    };

    test('a text is read back unchanged, under the SHA-256 of its UTF-8', async () => {
      const html = `<p>Grüße, 世界 🌍</p>${'<div>again</div>'.repeat(5000)}`;
      const stored = await content.put(html);
      assert.equal(await content.get(stored.hash), html);
      assert.equal(stored.bytes, Buffer.byteLength(html));
      assert.ok(stored.storedBytes < stored.bytes / 10, 'it is compressed');
      const abc = await content.put('abc');
      assert.equal(abc.hash, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
      const empty = await content.put('');
      assert.equal(await content.get(empty.hash), '');
    });

    test('concurrent puts of the same text store one content', async () => {
      const all = await Promise.all(Array.from({ length: 12 }, () => content.put('<p>same</p>')));
      assert.equal(new Set(all.map((stored) => JSON.stringify(stored))).size, 1);
      assert.equal(await content.get(all[0]?.hash ?? ''), '<p>same</p>');
    });

    test('an unknown address is empty, deleting it is not an error, and a malformed address is rejected', async () => {
      assert.equal(await content.get('0'.repeat(64)), undefined);
      await content.delete('0'.repeat(64));
      await content.delete('0'.repeat(64), new Date());
      await assert.rejects(content.get('../../etc/passwd'), /not a content address/);
    });

    // Checks: threat-damaged-files
    test('damaged content is reported instead of returned', async () => {
      const { hash } = await content.put('<p>one</p>');
      await place.overwrite(hash, zstdCompressSync('<p>two</p>'));
      await assert.rejects(content.get(hash), /does not match its address/);
      await place.overwrite(hash, Buffer.from('not zstd'));
      await assert.rejects(content.get(hash), /does not decompress/);
    });

    test('delete spares content that was put again since', async () => {
      const { hash } = await content.put('<p>kept</p>');
      await place.age(hash, new Date(Date.now() - 2 * HOUR_MS));
      const sweepTime = new Date(Date.now() - HOUR_MS);
      await content.put('<p>kept</p>');
      await content.delete(hash, sweepTime);
      assert.equal(await content.get(hash), '<p>kept</p>');
      await place.age(hash, new Date(Date.now() - 2 * HOUR_MS));
      await content.delete(hash, sweepTime);
      assert.equal(await content.get(hash), undefined);
    });

    test('concurrent puts and deletes of one address never lose an acknowledged put', async () => {
      for (let round = 0; round < 8; round += 1) {
        const { hash } = await content.put('<p>contested</p>');
        await place.age(hash, new Date(Date.now() - 2 * HOUR_MS));
        const sweepTime = new Date(Date.now() - HOUR_MS);
        await Promise.all([
          content.delete(hash, sweepTime),
          content.put('<p>contested</p>'),
          content.delete(hash, sweepTime),
        ]);
        assert.equal(await content.get(hash), '<p>contested</p>');
      }
    });

    test('only old content is listed', async () => {
      const old = await content.put('<p>old</p>');
      await content.put('<p>young</p>');
      await place.age(old.hash, new Date(Date.now() - 2 * HOUR_MS));
      assert.deepEqual(await listBefore(new Date(Date.now() - HOUR_MS)), [old.hash]);
      assert.ok((await listBefore(new Date(Date.now() + HOUR_MS))).length > 1);
    });

    test('a check passes, and fails once the storage is gone', async () => {
      await content.check();
      const lost = await start();
      try {
        await lost.content.check();
        await lost.lose();
        await assert.rejects(lost.content.check());
      } finally {
        await lost.stop();
      }
    });
  });
}

async function startFolder(): Promise<TestPlace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-snapshots-'));
  const content = new LocalSnapshotContent(folder);
  return {
    content,
    age: async (hash, time) => ageContent(folder, hash, time),
    overwrite: async (hash, bytes) => damageContent(folder, hash, bytes),
    lose: async () => {
      await rm(folder, { recursive: true });
      await writeFile(folder, 'no folder');
    },
    stop: async () => {
      await content.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function startS3(conditions: boolean): Promise<TestPlace> {
  const s3 = await startTestS3({ conditions });
  const content = new S3SnapshotContent(s3.createOptions());
  const filesOf = async (hash: string): Promise<string[]> =>
    (await readdir(s3.folder, { recursive: true }))
      .filter((name) => name.includes(hash))
      .map((name) => path.join(s3.folder, name));
  return {
    content,
    // The server uses the file time of the object's bytes as LastModified.
    age: async (hash, time) => {
      for (const file of await filesOf(hash)) await utimes(file, time, time);
    },
    overwrite: async (hash, bytes) => {
      const file = (await filesOf(hash)).find((name) => name.endsWith('_object'));
      assert.ok(file);
      await writeFile(file, bytes);
    },
    lose: () => s3.lose(),
    stop: async () => {
      content.close();
      await s3.stop();
    },
  };
}
