import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { migrateStore } from './migrate-store.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../open-store.ts';
import { findPostgresPrograms, startTestPostgres } from '../testing/test-postgres.ts';

const programs = findPostgresPrograms();
const onError = (error: unknown): void => {
  throw error;
};

testMove(
  'an interrupted move from SQLite to PostgreSQL can be repeated, and rows only in the target are reported',
  async ({ sqliteFile, databaseUrl }) => {
    const stop = new AbortController();
    const stopped = migrateStore({
      sqliteFile,
      databaseUrl,
      signal: stop.signal,
      onProgress: (table) => {
        if (table === 'snapshots') stop.abort(new Error('stopped half-way'));
      },
    });
    await assert.rejects(stopped, /stopped half-way/);

    const { signal } = new AbortController();
    const moved = await migrateStore({ sqliteFile, databaseUrl, signal, onProgress: () => undefined });
    assert.deepEqual(
      moved.filter(({ same }) => !same),
      [],
    );
    const rows = new Map(moved.map(({ table, rows: count }) => [table, count]));
    assert.equal(rows.get('snapshots'), 1200);
    assert.equal(rows.get('batch_items'), 2);
    assert.equal(rows.get('batch_results'), 1);

    const fresh = await openStore({ location: { databaseUrl }, onError });
    assert.equal((await fresh.projects.find('prj_a'))?.name, 'Über alles: "a"');
    assert.equal((await fresh.snapshots.find('prj_a', 'dom_7'))?.url, 'https://a.example/7');
    assert.deepEqual(await Readable.from(fresh.batches.results('bat_1', -1, 5)).toArray(), [
      { index: 0, line: '{"index":0}' },
    ]);
    await fresh.projects.insert({ id: 'prj_z', name: 'Z', createdAt: new Date(), archivedAt: null });
    await fresh.close();
    const again = await migrateStore({ sqliteFile, databaseUrl, signal, onProgress: () => undefined });
    assert.deepEqual(
      again.filter(({ same }) => !same).map(({ table }) => table),
      ['projects'],
    );
  },
);

testMove('texts that PostgreSQL cannot hold are replaced, and counted', async ({ sqliteFile, databaseUrl }) => {
  addUnfitRows(sqliteFile);
  const { signal } = new AbortController();
  for (const round of ['moved', 'moved again']) {
    const moved = await migrateStore({ sqliteFile, databaseUrl, signal, onProgress: () => undefined });
    assert.ok(
      moved.every(({ same }) => same),
      round,
    );
    const changed = moved.filter(({ replaced }) => replaced > 0);
    assert.deepEqual(
      changed.map(({ table, rows, replaced }) => [table, rows, replaced]),
      [['batch_items', 2, 1]],
    );
  }
  const fresh = await openStore({ location: { databaseUrl }, onError });
  const items = await fresh.batchQueue.claim({ owner: 'n', until: new Date() }, 5);
  await fresh.close();
  assert.deepEqual(
    items.map(({ target }) => target.value),
    ['dom_\uFFFD'],
  );
});

/** Registers a test with a filled, closed SQLite store and an empty PostgreSQL database. */
function testMove(
  title: string,
  move: (places: { readonly sqliteFile: string; readonly databaseUrl: string }) => Promise<void>,
): void {
  test(title, { skip: programs === undefined ? 'PostgreSQL is not installed' : false }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'winnow-migrate-'));
    const server = await startTestPostgres(programs ?? '');
    try {
      const sqliteFile = path.join(folder, 'winnow.db');
      const old = await openStore({ location: { sqliteFile }, onError });
      await fill(old);
      await old.close();
      await move({ sqliteFile, databaseUrl: await server.createDatabase() });
    } finally {
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });
}

/** Changes rows as an earlier version stored them. */
function addUnfitRows(sqliteFile: string): void {
  const database = new DatabaseSync(sqliteFile);
  database.prepare("UPDATE batch_items SET value = ? WHERE kind = 'dom_id'").run('dom_\0');
  database.close();
}

async function fill(store: Store): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, 1));
  await store.projects.insert({ id: 'prj_a', name: 'Über alles: "a"', createdAt: at, archivedAt: null });
  const inserts = Array.from({ length: 1200 }, (_, index) =>
    store.snapshots.insert({
      domId: `dom_${index}`,
      projectId: 'prj_a',
      hash: String(index).padStart(64, '0'),
      bytes: index,
      storedBytes: index,
      url: `https://a.example/${index}`,
      finalUrl: `https://a.example/${index}`,
      statusCode: 200,
      engine: 'http',
      fetchedAt: at,
      contentType: index % 2 === 0 ? null : 'text/html',
      contentLanguage: null,
      title: null,
      filtered: false,
    }),
  );
  await Promise.all(inserts);
  await store.settings.claim('name', 'value');
  await store.batches.create({
    id: 'bat_1',
    projectId: 'prj_a',
    idempotencyKey: null,
    fingerprint: 'f',
    options: { formats: [], respectRobots: true },
    webhook: null,
    createdAt: at,
    items: [
      { kind: 'url', value: 'https://a.example/1' },
      { kind: 'dom_id', value: 'dom_1' },
    ],
  });
  const [item] = await store.batchQueue.claim({ owner: 'n', until: at }, 1);
  assert.ok(item);
  await store.batchQueue.finish(item, 'n', { failed: false, line: '{"index":0}' });
}
