import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './open-configured-store.ts';

// Checks: threat-other-users
test('folders are created with their parents, private, repeatedly and concurrently', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'winnow-folder-'));
  const deep = path.join(root, 'a', 'b', 'c');
  await Promise.all([makeFolder(deep), makeFolder(deep)]);
  await makeFolder(deep);
  assert.equal((await stat(deep)).mode & 0o777, 0o700);
  assert.notEqual((await stat(path.dirname(deep))).mode & 0o055, 0);
  await writeFile(path.join(root, 'file'), '');
  await assert.rejects(makeFolder(path.join(root, 'file', 'a')), { code: 'ENOTDIR' });
  await assert.rejects(makeFolder(path.join(root, 'file')), { message: `${path.join(root, 'file')} is not a folder` });
  await rm(root, { recursive: true });
});

test('a folder that cannot be created is rejected at once with the system error', { timeout: 10_000 }, async () => {
  await assert.rejects(makeFolder('/proc/winnow/data'), { code: 'ENOENT', path: '/proc/winnow' });
});
