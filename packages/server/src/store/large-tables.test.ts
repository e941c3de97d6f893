/** Whole-table scans run in slices, because a SQLite statement blocks the event loop. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { READ_ROWS, SNAPSHOT_SLICE_ROWS } from './repositories/metric-repository.ts';
import { openStore } from './open-store.ts';
import type { Store } from './open-store.ts';

const SLICES = 3;
const SNAPSHOTS = SLICES * SNAPSHOT_SLICE_ROWS + 1;
const NOTES = 3001;
const RESULTS = 10_000;
const SPANS = SLICES * READ_ROWS + 1;

let folder: string;
let store: Store;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-large-'));
  const sqliteFile = path.join(folder, 'winnow.db');
  store = await openStore({ location: { sqliteFile }, onError: () => undefined });
  for (const id of ['prj_0', 'prj_1', 'prj_2'])
    await store.projects.insert({ id, name: id, createdAt: new Date(), archivedAt: null });
  fill(sqliteFile);
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Inserts alternating snapshots of two projects, notes of which half are old, and a batch without failed items. */
function fill(file: string): void {
  const database = new DatabaseSync(file);
  const numbers = (count: number) =>
    `with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`;
  database.exec(`${numbers(SNAPSHOTS)} insert into snapshots (dom_id, project_id, hash, bytes, stored_bytes, url, final_url,
      host, status_code, engine, fetched_at, filtered)
    select 'dom_' || n, 'prj_' || (n % 2), n, 10, 3, 'u', 'u', 'h', 200, 'http', n, 0 from numbers;
    ${numbers(NOTES)} insert into site_notes (id, project_id, host, shape, serial, notes, seen_at)
    select 'n' || n, 'p', 'h' || n, '/', 1, '{}', 1000 * (n % 2) from numbers;
    ${numbers(RESULTS)} insert into batch_items (batch_id, position, kind, value, state, attempts)
    select 'bat_large', n, 'url', 'u', 'done', 1 from numbers;
    ${numbers(RESULTS)} insert into batch_results (batch_id, position, body) select 'bat_large', n, x'' from numbers;
    ${numbers(SPANS)} insert into request_spans (span_seconds, at, process, project_id, code, stage, engine, count, histogram)
    select 60, 60 * (n / 100), 'process' || (n % 2), 'prj_' || (n % 2), 'ok', '', 'engine' || (n % 100), 1, '[1]' from numbers;
    ${numbers(SPANS)} insert into gauge_samples (at, process, name, project_id, value)
    select n / 100, 'process' || (n % 10), 'browsers_busy', 'prj_' || (n % 100), 1 from numbers`);
  database.close();
}

/** Calls `probe` on every tick of the event loop while the work runs. */
async function atEachTurn(work: () => Promise<unknown>, probe: () => void): Promise<void> {
  let next = setImmediate(function again() {
    probe();
    next = setImmediate(again);
  });
  await work();
  clearImmediate(next);
}

test('summing stored snapshots by project does not block the event loop', async () => {
  let measured: unknown;
  let turns = 0;
  const measure = async (): Promise<void> => {
    measured = await store.metrics.measureStorage();
  };
  await atEachTurn(measure, () => void (turns += 1));
  // The count is odd: the first project has one more.
  const half = (SNAPSHOTS - 1) / 2;
  assert.deepEqual(measured, [
    { projectId: 'prj_0', snapshots: half + 1, bytes: 10 * (half + 1), storedBytes: 3 * (half + 1) },
    { projectId: 'prj_1', snapshots: half, bytes: 10 * half, storedBytes: 3 * half },
  ]);
  assert.ok(turns >= SLICES, `${turns} turns`);
});

// Checks: threat-expensive-reads
test('searches of one project delay those of another by one search at most', async () => {
  const order: string[] = [];
  const search = async (projectId: string): Promise<void> => {
    await store.snapshots.list(projectId, { urlContains: 'nowhere' }, { limit: 10 });
    order.push(projectId);
  };
  await Promise.all(['prj_0', 'prj_0', 'prj_0', 'prj_1'].map(search));
  assert.deepEqual(order, ['prj_0', 'prj_1', 'prj_0', 'prj_0']);
});

test('forgetting old notes does not block the event loop', async () => {
  const database = new DatabaseSync(path.join(folder, 'winnow.db'));
  const count = database.prepare('select count(*) as notes from site_notes');
  const seen = new Set<unknown>();
  await atEachTurn(
    () => store.siteNotes.forgetBefore(new Date(1000)),
    () => void seen.add(count.get()?.['notes']),
  );
  const left = count.get()?.['notes'];
  database.close();
  assert.equal(left, (NOTES - 1) / 2);
  assert.ok(seen.size >= 2, `${[...seen].join(', ')} notes`);
});

// Checks: threat-expensive-reads
test('metrics are read in slices, each row once', async () => {
  const spans: unknown[] = [];
  const samples: unknown[] = [];
  let slices = 0;
  for await (const slice of store.metrics.readSpans(60, 0, Number.MAX_SAFE_INTEGER, new Set(['prj_0']))) {
    spans.push(...slice.map(({ at, engine }) => `${at} ${engine}`));
    slices += 1;
  }
  assert.ok(slices > SLICES, `${slices} slices`);
  assert.equal(new Set(spans).size, spans.length);
  assert.equal(spans.length, (SPANS + 1) / 2);
  for await (const slice of store.metrics.readSamples(0, Number.MAX_SAFE_INTEGER)) {
    assert.ok(slice.length <= READ_ROWS);
    samples.push(...slice.map(({ at, projectId }) => `${at} ${projectId}`));
  }
  assert.equal(new Set(samples).size, SPANS);
  assert.equal(samples.length, SPANS);
});

// Checks: threat-expensive-reads
test('listing results by outcome reads no other results', async () => {
  const start = process.threadCpuUsage();
  assert.deepEqual(await Readable.from(store.batches.results('bat_large', -1, 100, 'failed')).toArray(), []);
  const { user, system } = process.threadCpuUsage(start);
  const cpuMs = (user + system) / 1000;
  // Scanning all items for each result takes seconds.
  assert.ok(cpuMs < 500, `${cpuMs} ms of processor time`);
});
