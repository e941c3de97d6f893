import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/open-store.ts';
import { LocalSnapshotContent } from './local-snapshot-content.ts';
import { SnapshotSweeper } from './snapshot-sweeper.ts';
import type { SweepLimits } from './snapshot-sweeper.ts';
import { startSweeping } from './sweep-schedule.ts';
import { ageContent } from './testing/change-content.ts';

const HOUR_MS = 60 * 60 * 1000;
const { signal } = new AbortController();

let folder: string;
let store: Store;
let content: LocalSnapshotContent;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-sweeper-'));
  store = await openStore({ location: { sqliteFile: path.join(folder, 'winnow.db') }, onError: failOnError });
  content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
  await store.projects.insert({ id: 'prj_1', name: 'one', createdAt: new Date(), archivedAt: null });
});
afterEach(async () => {
  await store.close();
  await content.close();
  await rm(folder, { recursive: true });
});

/** Stores a snapshot as if it had been taken that many hours ago. */
async function take(domId: string, html: string, hoursAgo: number): Promise<{ hash: string; storedBytes: number }> {
  const time = new Date(Date.now() - hoursAgo * HOUR_MS);
  const stored = await content.put(html);
  await store.snapshots.insert({
    domId,
    projectId: 'prj_1',
    ...stored,
    url: 'http://site.example/',
    finalUrl: 'http://site.example/',
    statusCode: 200,
    engine: 'http',
    fetchedAt: time,
    contentType: null,
    contentLanguage: null,
    filtered: false,
  });
  age(stored.hash, time);
  return stored;
}

function age(hash: string, time: Date): void {
  ageContent(path.join(folder, 'snapshots'), hash, time);
}

function sweeper(limits: SweepLimits): SnapshotSweeper {
  return new SnapshotSweeper(store.snapshots, content, limits);
}

async function listDomIds(): Promise<string[]> {
  return (await store.snapshots.list('prj_1')).items.map((row) => row.domId);
}

test('old snapshots go with their content, unless a younger one shares it', async () => {
  const old = await take('dom_1', '<p>old</p>', 30);
  const shared = await take('dom_2', '<p>shared</p>', 29);
  await take('dom_3', '<p>shared</p>', 2);
  const report = await sweeper({ maxAgeMs: 24 * HOUR_MS }).sweep(signal);
  assert.deepEqual(report, { removedByAge: 2, removedBySize: 0 });
  assert.deepEqual(await listDomIds(), ['dom_3']);
  assert.equal(await content.get(old.hash), undefined);
  assert.equal(await content.get(shared.hash), '<p>shared</p>');
});

test('over the total size the oldest go, and not one more than needed', async () => {
  const sizes: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    sizes.push((await take(`dom_${index}`, `<p>${'x'.repeat(100)} ${index}</p>`, 20 - index)).storedBytes);
  }
  const keep = sizes.slice(3).reduce((sum, size) => sum + size, 0);
  const report = await sweeper({ maxTotalBytes: keep }).sweep(signal);
  assert.deepEqual(report, { removedByAge: 0, removedBySize: 3 });
  assert.deepEqual(await listDomIds(), ['dom_5', 'dom_4', 'dom_3']);
  assert.equal(await store.snapshots.totalStoredBytes(), keep);
});

test('content without a row goes after its grace', async () => {
  const orphan = await content.put('<p>left by a crash</p>');
  const pending = await content.put('<p>its row comes in a moment</p>');
  const kept = await take('dom_1', '<p>kept</p>', 5);
  age(orphan.hash, new Date(Date.now() - HOUR_MS));
  assert.equal(await sweeper({}).sweepOrphans(signal), 1);
  assert.equal(await content.get(orphan.hash), undefined);
  assert.ok(await content.get(pending.hash));
  assert.ok(await content.get(kept.hash));
});

test('without limits nothing goes', async () => {
  await take('dom_1', '<p>ancient</p>', 100_000);
  assert.deepEqual(await sweeper({}).sweep(signal), { removedByAge: 0, removedBySize: 0 });
});

test('more rows than one batch are swept, and an abort ends it early', async () => {
  await Promise.all(Array.from({ length: 450 }, (_, index) => take(`dom_${index}`, '<p>same</p>', 48)));
  const aborted = new AbortController();
  aborted.abort();
  assert.equal((await sweeper({ maxAgeMs: HOUR_MS }).sweep(aborted.signal)).removedByAge, 0);
  assert.equal((await sweeper({ maxAgeMs: HOUR_MS }).sweep(signal)).removedByAge, 450);
  assert.deepEqual(await listDomIds(), []);
});

test('the schedule sweeps at once, again after the interval, and ends when stopped', async () => {
  await take('dom_1', '<p>old</p>', 48);
  const reports: number[] = [];
  await new Promise<void>((resolve) => {
    const schedule = startSweeping(sweeper({ maxAgeMs: HOUR_MS }), {
      intervalMs: 1,
      onReport: (report) => {
        reports.push(report.removedByAge);
        if (reports.length === 2) void schedule.stop().then(resolve);
      },
      onError: failOnError,
    });
  });
  assert.deepEqual(reports, [1, 0]);
});

function failOnError(error: unknown): never {
  throw error;
}
