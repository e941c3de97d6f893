/** Backups and restores with damaged files, full disks and other backups running. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { damageContent } from '../../packages/server/src/snapshots/testing/change-content.ts';
import { lockDataFolder } from '../../packages/server/src/store/data-folder-lock.ts';
import { damageTable, overwrite } from '../damage-table.ts';
import { runWinnow } from '../support/run-winnow.ts';
import { startServiceToBackUp } from './service-to-back-up.ts';

const { running, winnow, dump, statusOf, copyData } = await startServiceToBackUp();
after(() => running.close());

test('a disk without room for a backup is named in the error, and nothing is left on it', async (t) => {
  const disk = await mkdtemp(path.join(tmpdir(), 'winnow-small-'));
  t.after(() => rm(disk, { recursive: true }));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status !== 0)
    return t.skip('needs the right to mount');
  try {
    const { code, err } = await winnow('backup', path.join(disk, 'backup'));
    assert.deepEqual([code, err], [1, `winnow: the disk of ${disk} has no room for the backup\n`]);
    assert.deepEqual(await readdir(disk), []);
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
});

// Checks: threat-data-loss
test('restore repairs damaged snapshots and an unreadable schema while the service runs', async () => {
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
  // Damages the schema and leaves the file header intact.
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

// Checks: threat-data-loss
test('without a running service, restore replaces a corrupt database or one of a later version', async (t) => {
  const dataDir = await copyData(t);
  const backup = path.join(dataDir, 'backup');
  assert.equal((await runWinnow(dataDir, ['backup', backup])).code, 0);
  const present = (await runWinnow(dataDir, ['projects', 'list'])).out;
  const file = path.join(dataDir, 'winnow.db');
  const restored = async (): Promise<string> => {
    assert.equal((await runWinnow(dataDir, ['projects', 'list'])).code, 1);
    const { code, err } = await runWinnow(dataDir, ['restore', backup, '--yes']);
    assert.equal(code, 0, err);
    assert.equal((await runWinnow(dataDir, ['projects', 'list'])).out, present);
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

// Checks: threat-two-processes
test('backup and restore never run concurrently, and a missing data folder is not backed up', async () => {
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
    (await runWinnow(nowhere, ['backup', path.join(running.folder, 'second')])).err,
    /^winnow: there is no data/,
  );
  for (const name of [nowhere, path.join(running.folder, 'second')]) assert.equal(existsSync(name), false);
});
