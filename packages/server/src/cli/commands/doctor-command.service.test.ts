/** `winnow doctor`: its lines and exit code, with and without faults. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { assertFailed, examine, runDoctor } from '../doctor/testing/examine.ts';

const MACHINE = ['node', 'data folder', 'database', 'workers'];

/** Engines available without a browser. */
const WITHOUT_BROWSER = ['engine auto', 'engine http'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-doctor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SANDBOX = 'browser sandbox';

test('doctor: without faults every check reports its finding', async () => {
  const report = await examine(folder);
  assertFailed(report, []);
  assert.deepEqual([...report.findings.keys()], [...MACHINE, ...WITHOUT_BROWSER]);
  const details = [...report.findings.values()].map(({ detail }) => detail.replace(folder, 'DATA').replace(/\d+/, 'N'));
  assert.match(details[0] ?? '', /^version N/);
  assert.equal(details[1], 'DATA can be written');
  assert.equal(details[2], 'SQLite answers; N projects');
  for (const detail of details.slice(4)) assert.match(detail, /^captured and extracted a page in N ms$/);
});

test('doctor --json prints the checks as JSON', async () => {
  const { code, out } = await runDoctor(folder, ['--json'], { WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
  assert.equal(code, 1);
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { name: string; ok: boolean; advice: unknown }[] };
  assert.equal(ok, false);
  assert.deepEqual(
    checks.slice(0, 4).map(({ name }) => name),
    MACHINE,
  );
  assert.ok(checks.some((check) => check.name === 'engine chrome' && !check.ok && check.advice !== null));
});

test('doctor: engines without their browser fail by name, as one fault, and no other check does', async () => {
  const report = await examine(folder, { WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
  const engines = [...report.findings.keys()].filter(
    (name) => ![...MACHINE, SANDBOX, ...WITHOUT_BROWSER].includes(name),
  );
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
