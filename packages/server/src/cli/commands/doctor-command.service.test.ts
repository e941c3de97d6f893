/** `winnow doctor`: its lines and exit code, with and without faults. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { damageContentSchema } from '../../snapshots/testing/change-content.ts';
import { runCli } from '../run-cli.ts';

const MACHINE = ['node', 'data folder', 'database', 'worker threads'];

/** Engines available without a browser. */
const WITHOUT_BROWSER = ['engine auto', 'engine http'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-doctor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SANDBOX = 'browser sandbox';

interface Finding {
  readonly ok: boolean;
  readonly warning: boolean;
  readonly detail: string;
  /** Undefined if absent. */
  readonly advice: string | undefined;
}

interface Examination {
  readonly code: number;
  readonly err: string;
  /** By check, in order. */
  readonly findings: ReadonlyMap<string, Finding>;
  /** Output below the findings. */
  readonly rest: string;
}

async function runDoctor(args: readonly string[], settings: Record<string, string>) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = Promise.all([text(stdout), text(stderr)]);
  const environment = { WINNOW_DATA_DIR: folder, WINNOW_CHROMIUM: 'none', ...settings };
  const io = { stdin: Readable.from([]), stdout, stderr, environment, signal: new AbortController().signal };
  const code = await runCli(['doctor', ...args], io, '1.2.3');
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, out, err };
}

async function examine(settings: Record<string, string> = {}): Promise<Examination> {
  const { code, out, err } = await runDoctor([], settings);
  const findings = new Map<string, Finding>();
  const rest = out.replaceAll(
    /^(ok {4}|WARN {2}|FAILED) {2}([^:]+): (.*)\n(?: {8}→ (.*)\n)?/gm,
    (_line, verdict: string, name: string, detail: string, advice: string | undefined) => {
      findings.set(name, { ok: verdict !== 'FAILED', warning: verdict === 'WARN  ', detail, advice });
      return '';
    },
  );
  return { code, err, findings, rest };
}

/** Asserts the failed checks, advice on only those, and the summary. */
function assertFailed({ code, err, findings, rest }: Examination, failed: readonly string[]): void {
  const found = [...findings].filter(([, { ok }]) => !ok).map(([name]) => name);
  assert.deepEqual(found, failed, JSON.stringify([...findings]));
  for (const [name, { ok, warning, advice }] of findings) assert.equal(advice === undefined, ok && !warning, name);
  const isWell = failed.length === 0;
  assert.deepEqual(
    { code, rest, err },
    {
      code: isWell ? 0 : 1,
      rest: isWell ? 'everything works\n' : '',
      err: isWell ? '' : `winnow: ${failed.length} of ${findings.size} checks failed\n`,
    },
  );
}

test('doctor: without faults every check reports its finding', async () => {
  const report = await examine();
  assertFailed(report, []);
  assert.deepEqual([...report.findings.keys()], [...MACHINE, ...WITHOUT_BROWSER]);
  const details = [...report.findings.values()].map(({ detail }) => detail.replace(folder, 'DATA').replace(/\d+/, 'N'));
  assert.match(details[0] ?? '', /^version N/);
  assert.equal(details[1], 'DATA can be written');
  assert.equal(details[2], 'SQLite answers; N projects');
  for (const detail of details.slice(4)) assert.match(detail, /^captured and extracted a page in N ms$/);
});

test('doctor --json: the same for programs', async () => {
  const { code, out } = await runDoctor(['--json'], { WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
  assert.equal(code, 1);
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { name: string; ok: boolean; advice: unknown }[] };
  assert.equal(ok, false);
  assert.deepEqual(
    checks.slice(0, 4).map(({ name }) => name),
    MACHINE,
  );
  assert.ok(checks.some((check) => check.name === 'engine chrome' && !check.ok && check.advice !== null));
});

test('doctor: engines without their browser fail by name, and no other check does', async () => {
  const report = await examine({ WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
  const engines = [...report.findings.keys()].filter(
    (name) => ![...MACHINE, SANDBOX, ...WITHOUT_BROWSER].includes(name),
  );
  assert.ok(engines.includes('engine chrome') && engines.length > 3, JSON.stringify(engines));
  assertFailed(report, engines);
  for (const name of engines) assert.match(report.findings.get(name)?.advice ?? '', /^install Chromium/);
});

test('doctor: an unusable data folder fails dependent checks, with the setting to change', async () => {
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  const report = await examine({ WINNOW_DATA_DIR: path.join(file, 'data') });
  assertFailed(report, ['data folder', 'database']);
  assert.match(report.findings.get('data folder')?.detail ?? '', /ENOTDIR/);
  assert.match(
    report.findings.get('data folder')?.advice ?? '',
    /^set WINNOW_DATA_DIR to a folder that this user can write to$/,
  );
});

test('doctor: damaged snapshots are reported with the remedy', async () => {
  assertFailed(await examine(), []);
  damageContentSchema(path.join(folder, 'snapshots'));
  const report = await examine();
  assertFailed(report, ['data folder']);
  const { detail, advice } = report.findings.get('data folder') ?? {};
  assert.match(detail ?? '', /malformed database schema/);
  assert.equal(advice, 'the file is damaged: restore a backup (winnow restore)');
});

test('doctor: a damaged database is reported with the remedy', async () => {
  await writeFile(path.join(folder, 'winnow.db'), 'this is not a database, whatever its name says '.repeat(50));
  await chmod(path.join(folder, 'winnow.db'), 0o600);
  const report = await examine();
  assertFailed(report, ['database']);
  assert.match(report.findings.get('database')?.detail ?? '', /winnow\.db cannot be opened: file is not a database/);
  assert.equal(report.findings.get('database')?.advice, 'the file is damaged: restore a backup (winnow restore)');
});

test('doctor: a database locked by another process is reported', async () => {
  assertFailed(await examine(), []);
  const other = new DatabaseSync(path.join(folder, 'winnow.db'));
  try {
    other.exec('begin immediate');
    const report = await examine();
    assertFailed(report, ['database']);
    assert.match(report.findings.get('database')?.detail ?? '', /the database is locked by another process/);
    assert.match(report.findings.get('database')?.advice ?? '', /^end the other process that holds the lock/);
  } finally {
    other.close();
  }
});

for (const { uid, finding } of [
  { uid: 0, finding: 'a risk, which is no failure' },
  { uid: 1000, finding: 'nothing' },
]) {
  test(`doctor: the check of the browser sandbox for user ${uid} finds ${finding}`, async (t) => {
    t.mock.method(process as Required<typeof process>, 'getuid', () => uid);
    // Engines without a browser fail; this test ignores them.
    const report = await examine({ WINNOW_CHROMIUM: path.join(folder, 'no-browser') });
    const isRoot = uid === 0;
    assert.deepEqual(report.findings.get(SANDBOX), {
      ok: true,
      warning: isRoot,
      detail: isRoot ? 'Chromium runs without it, because this user is root' : 'on',
      advice: isRoot ? 'run the service as a user other than root' : undefined,
    });
  });
}
