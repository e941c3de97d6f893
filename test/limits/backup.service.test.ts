import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { runCli } from '../../packages/server/src/cli/run-cli.ts';
import { damageContent } from '../../packages/server/src/snapshots/testing/change-content.ts';
import { lockDataFolder } from '../../packages/server/src/store/data-folder-lock.ts';
import { damageTable, overwrite } from '../damage-table.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function winnow(...args: readonly string[]): Promise<Done> {
  return winnowOn(running.folder, ...args);
}

async function winnowOn(dataDir: string, ...args: readonly string[]): Promise<Done> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = Promise.all([text(stdout), text(stderr)]);
  const environment = { WINNOW_DATA_DIR: dataDir };
  const io = { stdin: Readable.from([]), stdout, stderr, environment, signal: new AbortController().signal };
  const code = await runCli(args, io, '0.0.0');
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, out, err };
}

async function dump(): Promise<string> {
  const body = { url: `${running.pages.url}/article`, options: { engine_preference: 'http' } };
  const { status, body: answer } = await running.call('/v1/dom/dump', body);
  assert.equal(status, 200);
  return answer.dom_id;
}

async function statusOf(domId: string): Promise<number> {
  return (await running.call('/v1/extract', { extract: { dom_id: domId } })).status;
}

test('backup and restore work by one command each while the service serves', async () => {
  const folder = path.join(running.folder, 'backup');
  const kept = await dump();
  // Dumps go on while the backup is written.
  const meanwhile = Promise.all(Array.from({ length: 10 }, dump));
  const backedUp = await winnow('backup', folder, '--json');
  assert.equal(backedUp.code, 0, backedUp.err);
  const { snapshots, left_out: leftOut } = JSON.parse(backedUp.out) as { snapshots: number; left_out: number };
  assert.ok(snapshots >= 2);
  assert.equal(leftOut, 0);
  await meanwhile;
  assert.match((await winnow('backup', folder)).err, /exists already/);
  const late = await dump();
  const project = await winnow('projects', 'create', 'after the backup');
  assert.equal(project.code, 0, project.err);
  // Everything is lost but the backup.
  await rm(path.join(running.folder, 'snapshots'), { recursive: true });
  assert.equal(await statusOf(kept), 404);

  const restored = await winnow('restore', folder, '--yes');
  assert.equal(restored.code, 0, restored.err);
  assert.equal(await statusOf(kept), 200);
  assert.equal(await statusOf(late), 404);
  assert.equal(await statusOf(await dump()), 200);
  assert.doesNotMatch((await winnow('projects', 'list')).out, /after the backup/);
  const audit = await running.store.accounts.audit.list({});
  assert.equal(audit.items[0]?.action, 'backup.restore');
  assert.deepEqual(
    (await readdir(running.folder)).filter((name) => name.includes('partial')),
    [],
  );
});

test('a backup that cannot be written to is restored', async (t) => {
  const folder = path.join(running.folder, 'sealed');
  const kept = await dump();
  assert.equal((await winnow('backup', folder)).code, 0);
  const seal = [
    ['--bind', folder, folder],
    ['-o', 'remount,bind,ro', folder],
  ];
  t.after(() => spawnSync('umount', ['-l', folder]));
  if (seal.some((options) => spawnSync('mount', options).status !== 0))
    return t.skip('a file system of its own needs the right to mount');
  await assert.rejects(writeFile(path.join(folder, 'file'), ''), { code: 'EROFS' });
  await rm(path.join(running.folder, 'snapshots'), { recursive: true });
  const { code, err } = await winnow('restore', folder, '--yes');
  assert.equal(code, 0, err);
  assert.equal(await statusOf(kept), 200);
  assert.deepEqual(
    (await readdir(running.folder)).filter((name) => name.includes('partial')),
    [],
  );
});

test('restore refuses a file that is not a backup, and replaces data only when told to', async () => {
  assert.match((await winnow('restore', running.folder, '--yes')).err, /is not a backup/);
  assert.equal((await winnow('restore', running.folder)).code, 2);
});

test('restore refuses a backup that has lost a part, and leaves the present state as it is', async () => {
  const whole = path.join(running.folder, 'whole');
  assert.equal((await winnow('backup', whole)).code, 0);
  const [written] = (await running.store.accounts.audit.list({ limit: 1 })).items;
  assert.deepEqual([written?.action, written?.actor, written?.target], ['backup.write', 'command line', whole]);
  const present = (await winnow('projects', 'list')).out;
  const damage = async (name: string, spoil: (folder: string) => Promise<void>): Promise<string> => {
    const folder = path.join(running.folder, name);
    await cp(whole, folder, { recursive: true });
    await spoil(folder);
    const { code, err } = await winnow('restore', folder, '--yes');
    assert.equal(code, 1, name);
    return err;
  };
  const noRows = await damage('no-rows', (folder) => rm(path.join(folder, 'winnow.db')));
  assert.match(noRows, /^winnow: the backup is damaged: .* has no winnow\.db$/m);
  const emptyRows = await damage('empty-rows', (folder) => writeFile(path.join(folder, 'winnow.db'), ''));
  assert.match(emptyRows, /^winnow: the backup is damaged: it has 0 projects and 0 snapshots, not \d+ and \d+$/m);
  const noJson = await damage('no-json', (folder) => writeFile(path.join(folder, 'winnow-backup.json'), '{'));
  assert.match(noJson, /^winnow: the backup is damaged: its winnow-backup\.json cannot be read$/m);
  const nullJson = await damage('null-json', (folder) => writeFile(path.join(folder, 'winnow-backup.json'), 'null'));
  assert.match(nullJson, /^winnow: \S+ has the format undefined; this program reads 1$/m);
  // The counts of the manifest say nothing of it.
  const badTable = await damage('bad-table', async (folder) =>
    damageTable(path.join(folder, 'winnow.db'), 'templates'),
  );
  assert.match(badTable, /^winnow: the backup is damaged: its winnow\.db is \(.*\)\n$/);
  assert.equal((await winnow('projects', 'list')).out, present);
});

test('a disk without room for a backup is named, and nothing is left on it', async (t) => {
  const disk = await mkdtemp(path.join(tmpdir(), 'winnow-small-'));
  t.after(() => rm(disk, { recursive: true }));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status !== 0)
    return t.skip('a file system of its own needs the right to mount');
  try {
    const { code, err } = await winnow('backup', path.join(disk, 'backup'));
    assert.deepEqual([code, err], [1, `winnow: the disk of ${disk} has no room for the backup\n`]);
    assert.deepEqual(await readdir(disk), []);
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
});

test('a damaged database is not backed up', async (t) => {
  const dataDir = await copyOfData(t);
  damageTable(path.join(dataDir, 'winnow.db'), 'templates');
  const { code, err } = await winnowOn(dataDir, 'backup', path.join(dataDir, 'copy'));
  assert.equal(code, 1);
  assert.match(err, /^winnow: the database is damaged, restore an earlier backup \(.*\)\n$/);
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => name.startsWith('copy')),
    [],
  );
});

test('restore brings damaged snapshots back under the service, and a schema that cannot be read', async () => {
  const folder = path.join(running.folder, 'for-damage');
  const kept = await dump();
  assert.equal((await winnow('backup', folder)).code, 0);
  const content = path.join(running.folder, 'snapshots', 'content.db');
  const restored = async (aside: RegExp): Promise<void> => {
    const { code, err } = await winnow('restore', folder, '--yes');
    assert.equal(code, 0, err);
    assert.match(err, aside);
    assert.equal(await statusOf(kept), 200);
    assert.equal(await statusOf(await dump()), 200);
    await running.store.check();
  };
  const row = await running.store.snapshots.find(running.projectId, kept);
  damageContent(path.dirname(content), row?.hash ?? '', Buffer.from('damaged'));
  assert.equal(await statusOf(kept), 500);
  await restored(/^$/);
  damageTable(content, 'contents');
  assert.equal(await statusOf(kept), 500);
  await restored(
    /^the damaged database was renamed to \S+content\.db\.damaged: remove it when you no longer need it\n$/,
  );
  // Behind the header, which says that it is a database: in the midst of the schema.
  damageSchema(path.join(running.folder, 'winnow.db'));
  assert.match((await winnow('projects', 'list')).err, /cannot be opened: database disk image is malformed/);
  await restored(/^$/);
});

function damageSchema(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  overwrite(file, 100, 3000);
}

test('without a running service, restore replaces a corrupt database or one of a later version', async (t) => {
  const dataDir = await copyOfData(t);
  const backup = path.join(dataDir, 'backup');
  assert.equal((await winnowOn(dataDir, 'backup', backup)).code, 0);
  const present = (await winnowOn(dataDir, 'projects', 'list')).out;
  const file = path.join(dataDir, 'winnow.db');
  const restored = async (): Promise<string> => {
    assert.equal((await winnowOn(dataDir, 'projects', 'list')).code, 1);
    const { code, err } = await winnowOn(dataDir, 'restore', backup, '--yes');
    assert.equal(code, 0, err);
    assert.equal((await winnowOn(dataDir, 'projects', 'list')).out, present);
    return err;
  };
  const later = new DatabaseSync(file);
  later.exec("insert into kysely_migration (name, timestamp) values ('999-later', '')");
  later.close();
  assert.equal(await restored(), '');
  overwrite(file, 0, 4096);
  assert.match(await restored(), /^the damaged database was renamed to \S+winnow\.db\.damaged: /);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('backup and restore go one at a time, and there is no backup of nothing', async () => {
  const folder = path.join(running.folder, 'alone');
  assert.equal((await winnow('backup', folder)).code, 0);
  const other = await lockDataFolder(running.folder, 'backup');
  for (const args of [
    ['backup', path.join(running.folder, 'second')],
    ['restore', folder, '--yes'],
  ]) {
    const { code, err } = await winnow(...args);
    assert.equal(code, 1);
    assert.match(err, /^winnow: another winnow process \(process \d+\) already backs up or restores the data folder /);
  }
  other.release();
  assert.equal((await winnow('restore', folder, '--yes')).code, 0);
  const nowhere = path.join(running.folder, 'nowhere');
  assert.match(
    (await winnowOn(nowhere, 'backup', path.join(running.folder, 'second'))).err,
    /^winnow: there is no data/,
  );
  for (const name of [nowhere, path.join(running.folder, 'second')]) assert.equal(existsSync(name), false);
});

/** The data of the service as a backup has it, which nobody serves. */
async function copyOfData(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'winnow-unserved-'));
  t.after(() => rm(dataDir, { recursive: true }));
  await rm(dataDir, { recursive: true });
  const { code, err } = await winnow('backup', dataDir);
  assert.equal(code, 0, err);
  return dataDir;
}

test('keys and projects made or revoked on the command line are in the audit log', async () => {
  const project = (await winnow('projects', 'create', 'audited')).out.trim();
  const { out } = await winnow('keys', 'create', '--project', project, '--json');
  const { id } = JSON.parse(out) as { id: string };
  assert.equal((await winnow('keys', 'revoke', id)).code, 0);
  const { items } = await running.store.accounts.audit.list({});
  assert.deepEqual(
    items.slice(0, 3).map(({ action, actor, projectId }) => [action, actor, projectId]),
    ['key.revoke', 'key.create', 'project.create'].map((action) => [action, 'command line', project]),
  );
});
