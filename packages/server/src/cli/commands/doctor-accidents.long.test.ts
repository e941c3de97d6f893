/** `winnow doctor` on damaged and on locked files, without a browser, and without its sandbox. */
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

const SANDBOX = 'browser sandbox';

test('doctor: engines without their browser fail by name, as one fault, and no other check does', async () => {
  const report = await examine(folder, { WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
  const engines = [...report.findings.keys()].filter((name) => name.startsWith('engines '));
  assert.deepEqual(engines, ['engines chrome, chrome_cdp, vendor_lite, vendor_dcl, vendor_dom, stable']);
  assert.match(report.err, /^winnow: 6 of \d+ checks failed$/m);
  assert.match(report.findings.get(engines[0] ?? '')?.advice ?? '', /^install Chromium/);
});

// Checks: threat-sandbox
test('doctor: a sandbox that is switched off is a risk, as a warning', async (t) => {
  t.mock.method(process as Required<typeof process>, 'getuid', () => 1000);
  const report = await examine(folder, {
    WINNOW_CHROMIUM: path.join(folder, 'no-browser'),
    WINNOW_CHROMIUM_SANDBOX: 'off',
  });
  const finding = report.findings.get(SANDBOX);
  assert.deepEqual([finding?.ok, finding?.warning], [true, true]);
  assert.match(finding?.detail ?? '', /because WINNOW_CHROMIUM_SANDBOX is off$/);
  assert.match(finding?.advice ?? '', /^allow user namespaces: /);
});

test('doctor: an unusable data folder fails dependent checks, with the setting to change', async () => {
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  const report = await examine(folder, { WINNOW_DATA_DIR: path.join(file, 'data') });
  assertFailed(report, ['data folder', 'database']);
  assert.match(report.findings.get('data folder')?.detail ?? '', /ENOTDIR/);
  assert.match(
    report.findings.get('data folder')?.advice ?? '',
    /^set WINNOW_DATA_DIR to a folder that this user can write to$/,
  );
});

for (const { uid, finding } of [
  { uid: 0, finding: 'a risk, as a warning' },
  { uid: 1000, finding: 'nothing' },
]) {
  // Checks: threat-sandbox
  test(`doctor: the check of the browser sandbox for user ${uid} finds ${finding}`, async (t) => {
    t.mock.method(process as Required<typeof process>, 'getuid', () => uid);
    // Engines without a browser fail; this test ignores them.
    const report = await examine(folder, { WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
    const isRoot = uid === 0;
    assert.deepEqual(report.findings.get(SANDBOX), {
      ok: true,
      warning: isRoot,
      detail: isRoot ? 'Chromium runs without it, because this user is root' : 'on',
      advice: isRoot ? 'run the service as a user other than root' : undefined,
    });
  });
}
