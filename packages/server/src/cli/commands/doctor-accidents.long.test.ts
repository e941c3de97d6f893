/** `winnow doctor` on damaged and on locked files. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { damageContentSchema } from '../../snapshots/testing/change-content.ts';
import { assertFailed, examine } from '../doctor/testing/examine.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-doctor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('doctor: damaged snapshots are reported with the remedy', async () => {
  assertFailed(await examine(folder), []);
  damageContentSchema(path.join(folder, 'snapshots'));
  const report = await examine(folder);
  assertFailed(report, ['data folder']);
  const { detail, advice } = report.findings.get('data folder') ?? {};
  assert.match(detail ?? '', /malformed database schema/);
  assert.equal(advice, 'the file is damaged: restore a backup (winnow restore)');
});

test('doctor: a damaged database is reported with the remedy', async () => {
  await writeFile(path.join(folder, 'winnow.db'), 'this is not a database, whatever its name says '.repeat(50));
  await chmod(path.join(folder, 'winnow.db'), 0o600);
  const report = await examine(folder);
  assertFailed(report, ['database']);
  assert.match(report.findings.get('database')?.detail ?? '', /winnow\.db cannot be opened: file is not a database/);
  assert.equal(report.findings.get('database')?.advice, 'the file is damaged: restore a backup (winnow restore)');
});

test('doctor: a database locked by another process is reported', async () => {
  assertFailed(await examine(folder), []);
  const other = new DatabaseSync(path.join(folder, 'winnow.db'));
  try {
    other.exec('begin immediate');
    const report = await examine(folder);
    assertFailed(report, ['database']);
    assert.match(report.findings.get('database')?.detail ?? '', /the database is locked by another process/);
    assert.match(report.findings.get('database')?.advice ?? '', /^end the other process that holds the lock/);
  } finally {
    other.close();
  }
});
