/** `winnow doctor`: its lines and exit code, with and without faults. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
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
