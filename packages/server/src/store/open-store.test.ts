/** Behaviour specific to SQLite. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrateToLatest } from './migrations/migrations.ts';
import { openStore } from './open-store.ts';
import type { Store } from './open-store.ts';
import type { Database } from './schema/schema.ts';
import { openSqliteDatabase } from '../sqlite/open-sqlite.ts';
import { NodeSqliteDialect } from './sqlite/sqlite-dialect.ts';
import { WalSync } from './sqlite/wal-sync.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-open-'));
});
afterEach(() => rm(folder, { recursive: true }));

function open(file: string): Promise<Store> {
  return openStore({
    location: { sqliteFile: path.join(folder, file) },
    onError: (error) => {
      throw error;
    },
  });
}

test('a backup taken during writes is a complete database', async () => {
  const store = await open('winnow.db');
  const insert = (index: number): Promise<void> =>
    store.projects.insert({ id: `prj_${index}`, name: 'x'.repeat(2000), createdAt: new Date(index), archivedAt: null });
  for (let index = 0; index < 300; index += 1) await insert(index);
  const backup = store.backup(path.join(folder, 'copy.db'));
  for (let index = 300; index < 400; index += 1) await insert(index);
  await backup;
  await store.close();
  const copy = await open('copy.db');
  assert.ok((await copy.projects.list()).length >= 300);
  await copy.close();
});

// Checks: threat-data-loss
test('a backup completes while another process writes continuously', async () => {
  const store = await open('winnow.db');
  const other = openSqliteDatabase(path.join(folder, 'winnow.db'));
  other.exec('create table filler (bytes blob); PRAGMA synchronous = OFF');
  const write = other.prepare('insert into filler values (randomblob(?))');
  // Hundreds of pages.
  write.run(2_000_000);
  const done = new AbortController();
  const backup = store.backup(path.join(folder, 'copy.db')).finally(() => done.abort());
  let writes = 0;
  for (; !done.signal.aborted && writes < 20_000; writes += 1) {
    write.run(10);
    await nextTurn();
  }
  await backup;
  assert.ok(writes < 20_000, 'the backup ended only after the last write');
  other.close();
  await store.close();
});

test('a second process can read and write an open database', async () => {
  const first = await open('winnow.db');
  const second = await open('winnow.db');
  await second.projects.insert({ id: 'prj_1', name: 'by the second', createdAt: new Date(), archivedAt: null });
  assert.equal((await first.projects.find('prj_1'))?.name, 'by the second');
  await first.close();
  await second.close();
});

test('a write is confirmed after the log is synced; reads and other writes continue meanwhile', async () => {
  const sqlite = openSqliteDatabase(path.join(folder, 'winnow.db'));
  const { promise: disk, resolve: finish } = Promise.withResolvers<void>();
  let isSlow = false;
  let syncs = 0;
  const sync = async (): Promise<void> => {
    syncs += 1;
    if (isSlow) await disk;
  };
  const db = new Kysely<Database>({
    dialect: new NodeSqliteDialect(sqlite, { log: { sync, close: async () => undefined } }),
  });
  await migrateToLatest(db);
  isSlow = true;
  const before = syncs;
  const settled: string[] = [];
  const insert = (id: string): Promise<unknown> =>
    db
      .insertInto('projects')
      .values({ id, name: id, created_at: 1, archived_at: null, learns: 1 })
      .execute()
      .then(() => settled.push(id));
  const writes = [insert('prj_1'), insert('prj_2')];
  const seen = await db.selectFrom('projects').select('id').orderBy('id').execute();
  assert.deepEqual(
    seen.map(({ id }) => id),
    ['prj_1', 'prj_2'],
  );
  assert.deepEqual([settled, syncs - before], [[], 2]);
  finish();
  await Promise.all(writes);
  await db.destroy();
});

test('sync requests made during a sync share the next one', async () => {
  const file = path.join(folder, 'winnow.db');
  const sqlite = openSqliteDatabase(file);
  sqlite.exec('create table numbers (number integer)');
  const log = new WalSync(file);
  await Promise.all(Array.from({ length: 50 }, () => log.sync('')));
  await log.sync('');
  await log.close();
  sqlite.close();
  const gone = new WalSync(path.join(folder, 'none.db'));
  await assert.rejects(gone.sync(''), { code: 'ENOENT' });
  await gone.close();
});

test('the database uses a write-ahead log and foreign keys', async () => {
  const store = await open('winnow.db');
  assert.ok((await readdir(folder)).includes('winnow.db-wal'));
  await assert.rejects(
    store.keys.insert(
      {
        id: 'key_1',
        projectId: 'prj_none',
        name: '',
        kind: 'project',
        prefix: '',
        quotaPerMinute: null,
        createdAt: new Date(),
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
        scope: null,
      },
      'hash',
    ),
    /FOREIGN KEY/,
  );
  await store.close();
});

// Checks: threat-other-users
test('database files in a folder readable by others are private to the user', async () => {
  await chmod(folder, 0o755);
  const store = await open('winnow.db');
  const files = await readdir(folder);
  assert.deepEqual(files.toSorted(), ['winnow.db', 'winnow.db-shm', 'winnow.db-wal']);
  for (const file of files) assert.equal((await stat(path.join(folder, file))).mode & 0o777, 0o600, file);
  await store.close();
});

test('a failed migration is rolled back and named', async () => {
  const sqlite = new DatabaseSync(path.join(folder, 'winnow.db'));
  sqlite.exec('create table settings (other text)');
  const db = new Kysely<Database>({ dialect: new NodeSqliteDialect(sqlite) });
  await assert.rejects(migrateToLatest(db), /001-initial/);
  const tables = sqlite.prepare("select name from sqlite_master where name = 'projects'").all();
  assert.deepEqual(tables, []);
  await db.destroy();
});

test('a file that is not a database is rejected', async () => {
  await writeFile(path.join(folder, 'winnow.db'), 'this is not a database, whatever its name says '.repeat(50));
  await assert.rejects(open('winnow.db'), /not a database/);
});
