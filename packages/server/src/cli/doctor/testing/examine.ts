import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../run-cli.ts';

export interface Finding {
  readonly ok: boolean;
  readonly warning: boolean;
  readonly detail: string;
  /** Undefined if absent. */
  readonly advice: string | undefined;
}

/** What the command reports. */
export interface Examination {
  readonly code: number;
  readonly err: string;
  /** By check, in order. */
  readonly findings: ReadonlyMap<string, Finding>;
  /** Output below the findings. */
  readonly rest: string;
}

/** Runs `winnow doctor` in this process with an empty environment, on a data folder, without a browser. */
export async function runDoctor(
  folder: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ code: number; out: string; err: string }> {
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

/** Runs `winnow doctor`, and reads its lines. */
export async function examine(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Examination> {
  const { code, out, err } = await runDoctor(folder, [], settings);
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

/** Asserts the failed checks, the summary, and advice on failures and warnings only. */
export function assertFailed({ code, err, findings, rest }: Examination, failed: readonly string[]): void {
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
