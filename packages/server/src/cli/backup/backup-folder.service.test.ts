import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import type { SnapshotContent } from '../../domain/storage/snapshot-ports.ts';
import { LocalSnapshotContent } from '../../snapshots/local-snapshot-content.ts';
import { packAtOnce, unpack } from '../../snapshots/packed-html.ts';
import { ROW_GRACE_MS } from '../../domain/storage/delete-snapshot.ts';
import { SnapshotSweeper } from '../../snapshots/snapshot-sweeper.ts';
import { copyDatabase } from '../../store/copy/migrate-store.ts';
import { makeSnapshotRow } from '../../store/testing/make-snapshot-row.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { readBackup, writeBackup } from './backup-folder.ts';

const SNAPSHOTS = 30;
const LONG_MS = ROW_GRACE_MS + 60_000;

interface State {
  readonly folder: string;
  readonly store: Store;
  readonly content: LocalSnapshotContent;
}

let folder: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-backup-'));
  const source = await openState('source');
  await fill(source);
  await writeBackup(source, path.join(folder, 'backup'));
  await close(source);
});
after(() => rm(folder, { recursive: true }));

test('a backup omits missing or damaged content, and fails when content is unreachable', async (t) => {
  const state = await openTarget(t, 'out-of-reach');
  const hashes = await fill(state);
  const from = (get: SnapshotContent['get']) => ({ store: state.store, content: { get } as SnapshotContent });
  const away = from(async () => {
    throw new Error('connect ECONNREFUSED 127.0.0.1:9');
  });
  await assert.rejects(writeBackup(away, path.join(folder, 'away')), /ECONNREFUSED/);
  const full = from(async () => {
    throw Object.assign(new Error('the disk of the service is full'), { code: 'ENOSPC' });
  });
  await assert.rejects(writeBackup(full, path.join(folder, 'away')), /^Error: the disk of the service is full/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('away')),
    [],
    'no files remain',
  );
  const faulty = from(async (hash) => {
    if (hash === hashes[0]) return undefined;
    if (hash === hashes[1]) await unpack(Buffer.from('no zstd'), hash, `the snapshot ${hash}`);
    if (hash === hashes[2]) await unpack(packAtOnce(Buffer.from('<p>other</p>')), hash, `the snapshot ${hash}`);
    return state.content.get(hash);
  });
  const report = await writeBackup(faulty, path.join(folder, 'faulty'));
  assert.deepEqual([report.snapshots, report.leftOut], [SNAPSHOTS - 3, 3]);
});

test('a restore longer than the grace period puts back content that a sweep removed', async (t) => {
  const state = await openTarget(t, 'swept');
  const clock = createClock(state);
  await readBackup(path.join(folder, 'backup'), {
    content: state.content,
    scratch: path.join(state.folder, 'scratch'),
    now: clock.now,
    putRows: async (database) => {
      clock.pass();
      assert.equal(await sweepOrphans(state), SNAPSHOTS);
      await copyDatabase(database, path.join(state.folder, 'winnow.db'));
    },
  });
  assert.equal(await countReadable(state), SNAPSHOTS);
});

test('a sweep that started before the rows were restored does not remove their content', async (t) => {
  const state = await openTarget(t, 'overtaken');
  const clock = createClock(state);
  const found: string[] = [];
  let graceStart = new Date(0);
  await readBackup(path.join(folder, 'backup'), {
    content: state.content,
    scratch: path.join(state.folder, 'scratch'),
    now: clock.now,
    putRows: async (database) => {
      clock.pass();
      // First half of a sweep.
      graceStart = new Date(Date.now() - ROW_GRACE_MS);
      for await (const hashes of state.content.listPutBefore(graceStart))
        found.push(...(await state.store.snapshots.findUnreferenced(hashes)));
      await copyDatabase(database, path.join(state.folder, 'winnow.db'));
    },
  });
  // Second half.
  assert.equal(found.length, SNAPSHOTS);
  for (const hash of found) await state.content.delete(hash, graceStart);
  assert.equal(await countReadable(state), SNAPSHOTS);
});

test('restored rows have their content even if a sweep removed it during the restore', async (t) => {
  const state = await openTarget(t, 'on-the-way');
  const clock = createClock(state);
  let puts = 0;
  const content: SnapshotContent = {
    put: async (html) => {
      const stored = await state.content.put(html);
      puts += 1;
      if (puts !== SNAPSHOTS) return stored;
      clock.pass();
      assert.equal(await sweepOrphans(state), SNAPSHOTS);
      return stored;
    },
    get: (hash) => state.content.get(hash),
    delete: (hash, putBefore) => state.content.delete(hash, putBefore),
    listPutBefore: (time) => state.content.listPutBefore(time),
    check: () => state.content.check(),
  };
  await readBackup(path.join(folder, 'backup'), {
    content,
    scratch: path.join(state.folder, 'scratch'),
    now: clock.now,
    putRows: async (database) => {
      await copyDatabase(database, path.join(state.folder, 'winnow.db'));
      assert.equal(await countReadable(state), SNAPSHOTS);
    },
  });
  assert.equal(puts, 2 * SNAPSHOTS);
});

test('a stopped backup leaves no files, and a stopped restore leaves the rows unchanged', async (t) => {
  const state = await openTarget(t, 'stopped');
  await fill(state);
  const stop = new AbortController();
  const content = {
    get: async (hash: string) => {
      stop.abort();
      return state.content.get(hash);
    },
  } as SnapshotContent;
  const backup = path.join(folder, 'stopped-backup');
  await assert.rejects(
    writeBackup({ store: state.store, content, signal: stop.signal }, backup),
    /^CommandError: stopped/,
  );
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('stopped-backup')),
    [],
  );
  const scratch = path.join(state.folder, 'scratch');
  const putRows = async (): Promise<void> => assert.fail('the rows were replaced');
  const target = { content: state.content, scratch, signal: stop.signal, putRows };
  await assert.rejects(readBackup(path.join(folder, 'backup'), target), /^CommandError: stopped/);
  assert.deepEqual((await readdir(state.folder)).includes('scratch'), false);
});

// Checks: threat-data-loss
test('a backup contains pictures and MHTML files, and a restore refuses a backup that has lost one', async (t) => {
  const source = await openTarget(t, 'with-attachments');
  const [hash = ''] = await fill(source);
  const picture = await source.content.put('UklGRg==');
  const mhtml = await source.content.put('MIME-Version: 1.0');
  const facts = { mediaType: 'image/webp', width: 1, height: 1, bytes: 4, isCut: false };
  const screenshot = { ...facts, hash: picture.hash, storedBytes: picture.storedBytes };
  await source.store.snapshots.insert(makeSnapshotRow('dom_attached', { hash, screenshot, mhtml }));
  const backup = path.join(folder, 'attached');
  const { snapshots, attachments } = await writeBackup(source, backup);
  assert.deepEqual([snapshots, attachments], [SNAPSHOTS + 1, 2]);

  const state = await openTarget(t, 'restored-attachments');
  const scratch = path.join(state.folder, 'scratch');
  const putRows = (database: string): Promise<void> => copyDatabase(database, path.join(state.folder, 'winnow.db'));
  await readBackup(backup, { content: state.content, scratch, putRows });
  const row = await state.store.snapshots.find('prj_a', 'dom_attached');
  assert.equal(await state.content.get(row?.screenshot?.hash ?? ''), 'UklGRg==');
  assert.equal(await state.content.get(row?.mhtml?.hash ?? ''), 'MIME-Version: 1.0');

  const copied = new LocalSnapshotContent(path.join(backup, 'snapshots'));
  await copied.delete(mhtml.hash);
  await copied.close();
  const target = { content: state.content, scratch, putRows: async () => assert.fail('the rows were replaced') };
  await assert.rejects(readBackup(backup, target), /the backup is damaged: it has 1 of 2 pictures and MHTML files/);
});

// Checks: threat-command-files
test('a restore leaves out the triggers and views of a forged backup', async (t) => {
  const forged = path.join(folder, 'forged');
  await cp(path.join(folder, 'backup'), forged, { recursive: true });
  const database = new DatabaseSync(path.join(forged, 'winnow.db'));
  database.exec(`create trigger "back ""door" after delete on projects begin
      insert into projects (id, name, created_at) values ('prj_back', 'back', 0); end;
    create view endless as with recursive n(x) as (select 1 union all select x + 1 from n) select x from n;`);
  database.close();
  const state = await openTarget(t, 'restored-forged');
  await readBackup(forged, {
    content: state.content,
    scratch: path.join(state.folder, 'scratch'),
    putRows: async (file) => {
      const restored = new DatabaseSync(file);
      const kinds = restored.prepare('select distinct type from sqlite_schema order by type').all();
      restored.close();
      assert.deepEqual(
        kinds.map(({ type }) => type),
        ['index', 'table'],
      );
    },
  });
});

async function openTarget(t: TestContext, name: string): Promise<State> {
  const state = await openState(name);
  t.after(() => close(state));
  return state;
}

async function openState(name: string): Promise<State> {
  const own = path.join(folder, name);
  const content = new LocalSnapshotContent(path.join(own, 'snapshots'));
  await content.check();
  const onError = (error: unknown): void => {
    throw error;
  };
  const store = await openStore({ location: { sqliteFile: path.join(own, 'winnow.db') }, onError });
  return { folder: own, store, content };
}

async function close({ store, content }: State): Promise<void> {
  await content.close();
  await store.close();
}

/** Returns the addresses of the stored content. */
async function fill({ store, content }: State): Promise<string[]> {
  const hashes: string[] = [];
  await store.projects.insert({ id: 'prj_a', name: 'A', createdAt: new Date(), archivedAt: null });
  for (let index = 0; index < SNAPSHOTS; index += 1) {
    const url = `https://a.example/${index}`;
    const stored = await content.put(`<p>page ${index}`);
    hashes.push(stored.hash);
    await store.snapshots.insert({
      ...stored,
      domId: `dom_${index}`,
      projectId: 'prj_a',
      url,
      finalUrl: url,
      statusCode: 200,
      engine: 'http',
      fetchedAt: new Date(),
      contentType: 'text/html',
      contentLanguage: null,
      title: null,
      filtered: false,
    });
  }
  return hashes;
}

/** Advances the time of the restore and of existing content. */
function createClock(state: State): { now: () => number; pass: () => void } {
  let passed = 0;
  const pass = (): void => {
    passed += LONG_MS;
    const database = new DatabaseSync(path.join(state.folder, 'snapshots', 'content.db'), { timeout: 10_000 });
    database.prepare('UPDATE contents SET put_at = put_at - ?').run(LONG_MS);
    database.close();
  };
  return { now: () => Date.now() + passed, pass };
}

/** The sweep at the service's start and every few hours. */
function sweepOrphans({ store, content }: State): Promise<number> {
  return new SnapshotSweeper(store.snapshots, content, {}).sweepOrphans(new AbortController().signal);
}

async function countReadable({ store, content }: State): Promise<number> {
  let count = 0;
  for (let index = 0; index < SNAPSHOTS; index += 1) {
    const row = await store.snapshots.find('prj_a', `dom_${index}`);
    if (row !== undefined && (await content.get(row.hash)) !== undefined) count += 1;
  }
  return count;
}
