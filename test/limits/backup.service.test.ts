import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { damageTable } from '../damage-table.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { runWinnow } from '../support/run-winnow.ts';
import { startServiceToBackUp } from './service-to-back-up.ts';

const { running, winnow, dump, statusOf, copyData } = await startServiceToBackUp();
after(() => running.close());

// Checks: threat-data-loss
test('backup and restore take one command each while the service runs', async () => {
  const folder = path.join(running.folder, 'backup');
  const kept = await dump();
  // Dumps continue while the backup is written.
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
  // All snapshots are lost.
  await rm(path.join(running.folder, 'snapshots'), { recursive: true });
  assert.equal(await statusOf(kept), 500);

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

test('a read-only backup is restored', async (t) => {
  const folder = path.join(running.folder, 'sealed');
  const kept = await dump();
  assert.equal((await winnow('backup', folder)).code, 0);
  const seal = [
    ['--bind', folder, folder],
    ['-o', 'remount,bind,ro', folder],
  ];
  t.after(() => spawnSync('umount', ['-l', folder]));
  if (seal.some((options) => spawnSync('mount', options).status !== 0)) return t.skip('needs the right to mount');
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

test('restore refuses a file that is not a backup, and replaces data only with --yes', async () => {
  assert.match((await winnow('restore', running.folder, '--yes')).err, /is not a backup/);
  assert.equal((await winnow('restore', running.folder)).code, 2);
});

// Checks: threat-data-loss
test('restore refuses an incomplete or damaged backup, and leaves the data unchanged', async () => {
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
  // The counts in the manifest do not reveal this damage.
  const badTable = await damage('bad-table', async (folder) =>
    damageTable(path.join(folder, 'winnow.db'), 'templates'),
  );
  assert.match(badTable, /^winnow: the backup is damaged: its winnow\.db is \(.*\)\n$/);
  assert.equal((await winnow('projects', 'list')).out, present);
});

// Checks: threat-command-files
test('restore names links, pipes and sockets in a backup, and does not open them', async () => {
  const whole = path.join(running.folder, 'unlinked');
  assert.equal((await winnow('backup', whole)).code, 0);
  const outside = path.join(running.folder, 'outside.db');
  await cp(path.join(whole, 'snapshots/content.db'), outside);
  const present = await readFile(outside);
  const replace = async (name: string, put: (file: string) => unknown): Promise<string> => {
    const folder = await mkdtemp(path.join(running.folder, 'replaced-'));
    await cp(whole, folder, { recursive: true });
    await rm(path.join(folder, name), { force: true, recursive: true });
    await put(path.join(folder, name));
    const { code, err } = await winnow('restore', folder, '--yes');
    assert.equal(code, 1, name);
    return err;
  };
  const pipe = (file: string): unknown => spawnSync('mkfifo', [file]);
  for (const name of ['winnow-backup.json', 'winnow.db', 'snapshots/content.db', 'snapshots/content.db-wal'])
    assert.match(await replace(name, pipe), /^winnow: the backup is damaged: \S+ is a named pipe\n$/, name);
  for (const name of ['winnow.db', 'snapshots/content.db'])
    assert.match(await replace(name, (file) => symlink(outside, file)), /is a symbolic link\n$/, name);
  assert.match(
    await replace('snapshots', (file) => symlink(path.join(whole, 'snapshots'), file)),
    /is not a folder\n$/,
  );
  assert.deepEqual(await readFile(outside), present);
});

// Checks: threat-other-users
test('data, backups and restored data are private to their owner whatever the umask', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-private-'));
  t.after(() => rm(folder, { recursive: true }));
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  // A mounted volume, which its owner may have made readable.
  const dataDir = path.join(folder, 'data');
  await mkdir(dataDir, { mode: 0o755 });
  const service = await startServiceProcess({ dataDir, environment: {}, onLine: () => undefined });
  const whileServing = await listModes(dataDir);
  await service.stop();
  for (const [to, args] of [
    ['data', ['backup', path.join(folder, 'backup')]],
    ['restored', ['restore', path.join(folder, 'backup'), '--yes']],
  ] as const)
    assert.equal((await runWinnow(path.join(folder, to), args)).code, 0);
  const modes = new Map([...whileServing, ...(await listModes(folder))]);
  assert.ok(modes.size > 15);
  modes.delete(dataDir);
  for (const [file, mode] of modes) assert.equal(mode & 0o077, 0, `${file} has the mode ${mode.toString(8)}`);
});

/** Returns the permissions of everything in a folder. */
async function listModes(folder: string): Promise<[string, number][]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.map(async (name): Promise<[string, number]> => {
      const file = path.join(folder, name);
      return [file, (await stat(file)).mode & 0o777];
    }),
  );
}

// Checks: threat-data-loss
test('a damaged database is not backed up', async (t) => {
  const dataDir = await copyData(t);
  damageTable(path.join(dataDir, 'winnow.db'), 'templates');
  const { code, err } = await runWinnow(dataDir, ['backup', path.join(dataDir, 'copy')]);
  assert.equal(code, 1);
  assert.match(err, /^winnow: the database is damaged, restore an earlier backup \(.*\)\n$/);
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => name.startsWith('copy')),
    [],
  );
});

// Checks: threat-unattributed-change
test('keys and projects created or revoked on the command line are in the audit log', async () => {
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
