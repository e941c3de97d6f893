import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openStore, type Store } from '../../store/open-store.ts';
import { HealthRecorder, isDrifting, type PageOutcome } from './health-recorder.ts';
import type { StoredTemplate } from './template-ports.ts';
import { makeStoredTemplate, makeTemplateDocument } from './testing/stored-template.ts';

const KEY = { id: 'tpl_00000000000000000000000001', version: 1 };
const GOOD: PageOutcome = { failed: false, missed: [] };
const FAILED: PageOutcome = { failed: true, missed: [] };
const ANONYMOUS: PageOutcome = { failed: false, missed: ['author'] };
let folder = '';
let store: Store;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-health-'));
  store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => assert.fail(String(error)),
  });
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function fail(error: unknown): never {
  throw error;
}

async function insert(version: number): Promise<StoredTemplate> {
  const css = (selector: string) => ({ selectors: [{ css: selector }] });
  const document = makeTemplateDocument({
    hosts: ['a.example.com'],
    fields: { title: css('h1'), author: css('.by'), language: { selectors: [], otherwise: 'en' } },
    invariants: { required: ['title'], main_text_words: null },
  });
  await store.siteTemplates.insert(makeStoredTemplate({ ...KEY, version, state: 'candidate', document }));
  return read(version);
}

async function read(version: number): Promise<StoredTemplate> {
  const stored = await store.siteTemplates.find(KEY.id, version);
  assert(stored);
  return stored;
}

test('two failed pages in a row show that a site has changed, and good ones end the warning', async () => {
  const recorder = new HealthRecorder(store.siteTemplates, fail);
  const template = await insert(1);
  assert.equal(await recorder.record(template, GOOD), false);
  assert.equal(await recorder.record(template, FAILED), false);
  assert.equal(await recorder.record(template, FAILED), true);
  assert.equal(await recorder.record(template, FAILED), false, 'it is told once');
  assert.ok(isDrifting((await read(1)).health));
  for (let page = 0; page < 100; page++) await recorder.record(template, FAILED);
  for (let page = 0; page < 10; page++) await recorder.record(template, GOOD);
  await recorder.flush();
  const { health } = await read(1);
  assert.deepEqual([health.served, health.failed, isDrifting(health)], [11, 103, false]);
});

test('a field that vanishes from pages that usually have it is noticed, also after a restart', async () => {
  const first = new HealthRecorder(store.siteTemplates, fail);
  const template = await insert(2);
  for (let page = 0; page < 22; page++) await first.record(template, GOOD);
  await first.record(template, FAILED);
  await first.flush();
  const stored = await read(2);
  assert.deepEqual(stored.health.filled, {
    pages: 22,
    fields: { title: 22, author: 22 },
    usual: ['title', 'author'],
  });
  const second = new HealthRecorder(store.siteTemplates, fail);
  for (let page = 0; page < 3; page++) await second.record(stored, GOOD);
  assert.deepEqual(second.findVanished(stored, ['author']), []);
  await second.record(stored, ANONYMOUS);
  assert.equal(await second.record(stored, ANONYMOUS), true);
  assert.deepEqual(second.findVanished(stored, ['author', 'fields.none']), ['author']);
});

test('a field that many pages lack is not missed', async () => {
  const recorder = new HealthRecorder(store.siteTemplates, fail);
  const template = await insert(3);
  for (let page = 0; page < 40; page++)
    assert.equal(await recorder.record(template, page % 2 === 0 ? GOOD : ANONYMOUS), false);
  for (let page = 0; page < 5; page++) assert.equal(await recorder.record(template, ANONYMOUS), false);
  await recorder.flush();
});

test('activation resets the warning, but not the counts', async () => {
  const recorder = new HealthRecorder(store.siteTemplates, fail);
  const template = await insert(4);
  for (let page = 0; page < 3; page++) await recorder.record(template, FAILED);
  await store.siteTemplates.activate({ ...KEY, version: 4 }, ['candidate'], 'by hand: activated');
  const active = await read(4);
  assert.equal(active.health.drift, 0);
  assert.equal(await recorder.record(active, FAILED), false, 'one page is no drift');
  assert.equal((await read(4)).health.failed, 4);
});
