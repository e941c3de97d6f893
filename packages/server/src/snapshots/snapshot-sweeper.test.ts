import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { SnapshotRow } from '../domain/storage/snapshot-ports.ts';
import { deleteSnapshot } from '../domain/storage/delete-snapshot.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/open-store.ts';
import { LocalSnapshotContent } from './local-snapshot-content.ts';
import { SnapshotSweeper, startSweeping } from './snapshot-sweeper.ts';
import type { SweepLimits } from './snapshot-sweeper.ts';
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

/** Stores a snapshot with a fetch time some hours ago. */
async function take(
  domId: string,
  html: string,
  hoursAgo: number,
  projectId = 'prj_1',
  more: Partial<SnapshotRow> = {},
): Promise<{ hash: string; storedBytes: number }> {
  const time = new Date(Date.now() - hoursAgo * HOUR_MS);
  const stored = await content.put(html);
  await store.snapshots.insert({
    domId,
    projectId,
    ...stored,
    url: 'http://site.example/',
    finalUrl: 'http://site.example/',
    statusCode: 200,
    engine: 'http',
    fetchedAt: time,
    contentType: null,
    contentLanguage: null,
    title: null,
    filtered: false,
    ...more,
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

async function listDomIds(projectId = 'prj_1'): Promise<string[]> {
  return (await store.snapshots.list(projectId)).items.map((row) => row.domId);
}

/** Bytes of the project's rows, without their content. */
async function rowBytes(contentBytes: number): Promise<number> {
  return (await store.usage.find('prj_1')).snapshotBytes - contentBytes;
}

// Checks: threat-foreign-data
test('old snapshots are removed with their content, unless a younger one shares it', async () => {
  const old = await take('dom_1', '<p>old</p>', 30);
  const shared = await take('dom_2', '<p>shared</p>', 29);
  await take('dom_3', '<p>shared</p>', 2);
  const report = await sweeper({ maxAgeMs: 24 * HOUR_MS }).sweep(signal);
  assert.deepEqual(report, { removedByAge: 2, removedBySize: 0 });
  assert.deepEqual(await listDomIds(), ['dom_3']);
  assert.equal(await content.get(old.hash), undefined);
  assert.equal(await content.get(shared.hash), '<p>shared</p>');
});

test('over the total size the oldest snapshots are removed, and no more than needed', async () => {
  const sizes: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    sizes.push((await take(`dom_${index}`, `<p>${'x'.repeat(100)} ${index}</p>`, 20 - index)).storedBytes);
  }
  const sum = (values: readonly number[]): number => values.reduce((total, size) => total + size, 0);
  const keep = sum(sizes.slice(3)) + (await rowBytes(sum(sizes))) / 2;
  const report = await sweeper({ maxTotalBytes: keep }).sweep(signal);
  assert.deepEqual(report, { removedByAge: 0, removedBySize: 3 });
  assert.deepEqual(await listDomIds(), ['dom_5', 'dom_4', 'dom_3']);
  assert.equal(await store.snapshots.totalStoredBytes(), keep);
});

// Checks: threat-displaced-snapshots
test('only projects over their share lose snapshots', async () => {
  await store.projects.insert({ id: 'prj_2', name: 'two', createdAt: new Date(), archivedAt: null });
  const quiet = ['dom_q1', 'dom_q2', 'dom_q3'];
  for (const domId of quiet) await take(domId, `<p>${randomText(2000)}`, 500, 'prj_2');
  for (let index = 0; index < 40; index += 1) await take(`dom_${index}`, `<p>${randomText(2000)}`, 1);
  const before = await store.snapshots.totalStoredBytes();
  const limit = Math.round(before / 4);
  const { removedBySize } = await sweeper({ maxTotalBytes: limit }).sweep(signal);
  assert.deepEqual((await listDomIds('prj_2')).toSorted(), quiet, 'although they are the oldest');
  assert.equal((await listDomIds()).length, 40 - removedBySize);
  assert.ok((await store.snapshots.totalStoredBytes()) <= limit);
});

// Checks: threat-displaced-snapshots
test('projects over their shares are reduced to the same size', async () => {
  await store.projects.insert({ id: 'prj_2', name: 'two', createdAt: new Date(), archivedAt: null });
  for (let index = 0; index < 30; index += 1) await take(`dom_a${index}`, `<p>${randomText(2000)}`, 1);
  for (let index = 0; index < 20; index += 1) await take(`dom_b${index}`, `<p>${randomText(2000)}`, 900, 'prj_2');
  const limit = Math.round((await store.snapshots.totalStoredBytes()) / 5);
  await sweeper({ maxTotalBytes: limit }).sweep(signal);
  const left = [(await listDomIds()).length, (await listDomIds('prj_2')).length];
  assert.ok(Math.abs((left[0] ?? 0) - (left[1] ?? 0)) <= 1, left.join(' and '));
});

// Checks: threat-foreign-data
test('deleting a snapshot keeps content shared with another project', async () => {
  await store.projects.insert({ id: 'prj_2', name: 'two', createdAt: new Date(), archivedAt: null });
  const { hash } = await take('dom_1', '<p>shared</p>', 5);
  await take('dom_2', '<p>shared</p>', 5, 'prj_2');
  const deps = { snapshots: store.snapshots, content };
  await assert.rejects(deleteSnapshot(deps, 'prj_2', 'dom_1'), { code: 'dom_not_found' });
  await deleteSnapshot(deps, 'prj_1', 'dom_1');
  assert.equal(await content.get(hash), '<p>shared</p>');
  assert.deepEqual(await listDomIds('prj_2'), ['dom_2']);
  await deleteSnapshot(deps, 'prj_2', 'dom_2');
  assert.equal(await content.get(hash), undefined, 'the last snapshot frees the bytes');
  const fresh = await take('dom_3', '<p>fresh</p>', 0);
  await deleteSnapshot(deps, 'prj_1', 'dom_3');
  assert.equal(
    await content.get(fresh.hash),
    '<p>fresh</p>',
    'a concurrent put of the same content may be about to write a row',
  );
});

test('the picture and the MHTML file of a snapshot are removed with it, unless another snapshot has them', async () => {
  const picture = await content.put('UklGRg==');
  age(picture.hash, new Date(Date.now() - HOUR_MS));
  const facts = { mediaType: 'image/webp', width: 1, height: 1, isCut: false, bytes: 4 };
  const mhtml = await content.put('MIME-Version: 1.0');
  age(mhtml.hash, new Date(Date.now() - HOUR_MS));
  const screenshot = { hash: picture.hash, storedBytes: picture.storedBytes, ...facts };
  for (const [domId, hoursAgo] of [
    ['dom_a', 3],
    ['dom_b', 1],
  ] as const)
    await take(domId, `page of ${domId}`, hoursAgo, 'prj_1', { screenshot, mhtml });
  const found = await store.snapshots.find('prj_1', 'dom_a');
  assert.deepEqual({ screenshot: found?.screenshot, mhtml: found?.mhtml }, { screenshot, mhtml });
  assert.equal((await sweeper({ maxAgeMs: 2 * HOUR_MS }).sweep(signal)).removedByAge, 1);
  assert.equal(await content.get(picture.hash), 'UklGRg==');
  assert.equal(await content.get(mhtml.hash), 'MIME-Version: 1.0');
  assert.equal((await sweeper({ maxAgeMs: HOUR_MS / 2 }).sweep(signal)).removedByAge, 1);
  assert.equal(await content.get(picture.hash), undefined);
  assert.equal(await content.get(mhtml.hash), undefined);
});

test('content without a row is removed after its grace period', async () => {
  const orphan = await content.put('<p>left by a crash</p>');
  const pending = await content.put('<p>its row comes in a moment</p>');
  const kept = await take('dom_1', '<p>kept</p>', 5);
  age(orphan.hash, new Date(Date.now() - HOUR_MS));
  assert.equal(await sweeper({}).sweepOrphans(signal), 1);
  assert.equal(await content.get(orphan.hash), undefined);
  assert.ok(await content.get(pending.hash));
  assert.ok(await content.get(kept.hash));
});

test('without limits nothing is removed', async () => {
  await take('dom_1', '<p>ancient</p>', 100_000);
  assert.deepEqual(await sweeper({}).sweep(signal), { removedByAge: 0, removedBySize: 0 });
});

test('a sweep handles more rows than one batch, and an abort ends it early', async () => {
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
  // The schedule alone does not keep a process alive.
  const alive = setInterval(() => undefined, 1000);
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
  clearInterval(alive);
  assert.deepEqual(reports, [1, 0]);
});

/** Returns incompressible text. */
function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

function failOnError(error: unknown): never {
  throw error;
}
