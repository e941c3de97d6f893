import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { LocalSnapshotContent } from '../../snapshots/local-snapshot-content.ts';
import { openStore } from '../../store/open-store.ts';
import { prepareFirstStart } from './first-start.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'winnow-first-'));
const store = await openStore({ location: { sqliteFile: path.join(folder, 'winnow.db') }, onError: () => undefined });
const content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

test('if several processes start together, one creates the first project', async () => {
  const starts = await Promise.all([1, 2, 3].map(() => prepareFirstStart({ ...store, content })));
  assert.equal(starts.filter((start) => start !== undefined).length, 1);
  assert.equal((await store.projects.list()).length, 1);
  assert.equal((await store.keys.list()).length, 2);
});
