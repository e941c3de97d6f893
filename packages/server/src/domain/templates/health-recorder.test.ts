import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { openStore, type Store } from '../../store/open-store.ts';
import { HealthRecorder } from './health-recorder.ts';
import type { StoredTemplate } from './template-ports.ts';
import { makeStoredTemplate } from './testing/stored-template.ts';

const KEY = { id: 'tpl_00000000000000000000000001', version: 1 };
let folder = '';
let store: Store;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-health-'));
  store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => assert.fail(String(error)),
  });
  const aMinuteAgo = new Date(Date.now() - 60_000);
  await store.siteTemplates.insert(
    makeStoredTemplate({ ...KEY, projectId: 'prj_a', createdAt: aMinuteAgo, changedAt: aMinuteAgo }),
  );
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function fail(error: unknown): never {
  throw error;
}

async function read(): Promise<StoredTemplate> {
  const stored = await store.siteTemplates.find(KEY.id, KEY.version);
  assert(stored);
  return stored;
}

test('activation resets the drift of a template, but not its counts', async () => {
  const recorder = new HealthRecorder(store.siteTemplates, fail);
  const first = await read();
  await recorder.record(first, { kind: 'served' }, 'prj_a');
  assert.equal(await recorder.record(first, { kind: 'failed' }, 'prj_a'), false);
  assert.equal(await recorder.record(first, { kind: 'failed' }, 'prj_a'), true);
  assert.equal((await read()).state, 'suspect');
  await store.siteTemplates.activate(KEY, ['suspect'], 'by hand: activated', true);

  const again = await read();
  assert.equal(recorder.getHealth(again, 'prj_a').drift, 0);
  assert.equal(await recorder.record(again, { kind: 'served' }, 'prj_a'), false);
  assert.equal(await recorder.record(again, { kind: 'failed' }, 'prj_a'), false, 'one page is no drift');
  const { served, failed, drift } = recorder.getHealth(again, 'prj_a');
  assert.deepEqual([served, failed], [2, 3]);
  assert.equal((await read()).health.drift, drift);
  // A page that was matched before the change still counts.
  assert.equal(await recorder.record(first, { kind: 'failed' }, 'prj_a'), true);
});

test('a process without pending counts leaves the stored drift unchanged', async () => {
  const recorder = new HealthRecorder(store.siteTemplates, fail);
  await store.siteTemplates.activate(KEY, ['suspect'], 'by hand: activated', true);
  await recorder.record(await read(), { kind: 'failed' }, 'prj_a');
  await recorder.record(await read(), { kind: 'failed' }, 'prj_a');
  await store.siteTemplates.activate(KEY, ['suspect'], 'by hand: activated', true);
  await recorder.flush();
  assert.equal((await read()).health.drift, 0);
});

test('few served pages are written without waiting for more', async () => {
  const servedFirst = (await read()).health.served;
  const recorder = new HealthRecorder(store.siteTemplates, fail, 10);
  await recorder.record(await read(), { kind: 'served' }, 'prj_a');
  await recorder.record(await read(), { kind: 'served' }, 'prj_a');
  while ((await read()).health.served < servedFirst + 2) await setTimeout(10);
  assert.equal((await read()).health.served, servedFirst + 2);
});

// Checks: threat-foreign-training
test('a shared template that fails on the pages of one project stays in service for others', async () => {
  const recorder = new HealthRecorder(store.siteTemplates, fail);
  const id = 'tpl_00000000000000000000000009';
  const shared = makeStoredTemplate({ id });
  await store.siteTemplates.insert(shared);
  assert.equal(await recorder.record(shared, { kind: 'failed' }, 'prj_a'), false);
  assert.equal(await recorder.record(shared, { kind: 'failed' }, 'prj_a'), true);
  assert.equal(await recorder.record(shared, { kind: 'failed' }, 'prj_a'), false, 'it is reported once');
  assert.equal(recorder.isSuspended(shared, 'prj_a'), true);
  assert.equal(recorder.isSuspended(shared, 'prj_b'), false);
  assert.equal(recorder.getHealth(shared, 'prj_b').drift, 0);
  assert.equal(
    await recorder.record(shared, { kind: 'failed' }, 'prj_b'),
    false,
    "other projects' failures do not count",
  );
  await recorder.flush();
  const stored = await store.siteTemplates.find(id, 1);
  assert.deepEqual([stored?.state, stored?.health.failed, stored?.health.drift], ['active', 4, 0]);
  const changed = { ...shared, changedAt: new Date() };
  assert.equal(recorder.isSuspended(changed, 'prj_a'), false, 'a manual change ends the suspension');
});
