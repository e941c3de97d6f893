/** Shared by the tests on a terminal: a page, data folders, and a request that the service logs. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { openTerminal, runInTerminal } from './open-terminal.ts';
import type { Terminal, TerminalOptions } from './open-terminal.ts';

export const PAGE = `<!doctype html><html lang="en"><title>The valley</title><main><article><h1>The valley</h1>
<p>${'Spring comes late to the valley, and the river carries the snow of the mountains down. '.repeat(5)}</p>
<p>${'Walkers on the old road before noon meet nobody but the shepherd and his dogs. '.repeat(5)}</p></article></main>`;

export const ESCAPE = '\u001B';

export const folder: string = await mkdtemp(path.join(tmpdir(), 'winnow-terminal-'));
after(() => rm(folder, { recursive: true, force: true }));
const page: string = path.join(folder, 'page.html');
await writeFile(page, PAGE);
let count = 0;

/** Options of a terminal; each call has a new data folder, unless the environment names one. */
export function options(environment: Readonly<Record<string, string>> = {}, columns = 80): TerminalOptions {
  count += 1;
  return {
    columns,
    environment: {
      WINNOW_DATA_DIR: path.join(folder, `data-${count}`),
      WINNOW_PORT: '0',
      WINNOW_SELF_TEST: 'false',
      WINNOW_CHROMIUM: 'none',
      ...environment,
    },
  };
}

export const LISTENING: RegExp = /(http:\/\/127\.0\.0\.1:\d+)/;

/** Waits until the service listens, then sends a request without a key. */
export async function sendUnauthorized(terminal: Terminal): Promise<void> {
  const [, url = ''] = await terminal.waitFor(LISTENING);
  await fetch(`${url}/healthz`);
  const answer = await fetch(`${url}/v1/extract`, { method: 'POST', body: '{}' });
  assert.equal(answer.status, 401);
  await answer.text();
}

export const LOG_LINE: RegExp =
  /^\[\d\d:\d\d:\d\d\] INFO: POST \/v1\/extract 401 in \d+ ms: unauthorized \(auth\): .+$/m;

/** Starts the service by the command, reads its log, and ends it with Ctrl-C. */
export async function assertReadableLog(command: string): Promise<void> {
  const terminal = openTerminal(command, options());
  await sendUnauthorized(terminal);
  await terminal.waitFor(LOG_LINE);
  // Only a terminal shows secrets.
  assert.match(terminal.screen, /Standalone key +wk_\w+$/m);
  assert.match(terminal.screen, /^http:\S+\/console\/welcome#/m);
  assert.ok(terminal.raw.includes(`${ESCAPE}[32mINFO`), 'the level has a color');
  assert.doesNotMatch(terminal.screen, /\{"level"|incoming request|healthz/);
  terminal.pressCtrlC();
  assert.equal(await terminal.ended, 0, terminal.screen);
  assert.match(terminal.screen, /INFO: stopping/);
  assert.doesNotMatch(terminal.screen, /Error|undefined|\[object/);
}

/** Commands and their expected output. */
const COMMANDS: readonly (readonly [string, RegExp])[] = [
  [`extract ${page} --format text`, /^Spring comes late to the valley/m],
  [`extract ${page}`, /"title": "The valley"/],
  ['projects list', /there are no projects/],
  ['keys list', /there are no keys/],
  ['users list', /there are no accounts/],
  ['templates list', /there are no templates/],
  ['doctor', /^ok {6}database: SQLite answers/m],
  ['help batch', /^Usage: winnow batch /m],
  ['help keys create', /^Usage: winnow keys create /m],
];

/** Runs every command on one data folder, in a terminal of this many columns. */
export async function assertCommandsWork(columns: number): Promise<void> {
  const shared = { WINNOW_DATA_DIR: path.join(folder, `commands-${columns}`) };
  // The doctor takes seconds, and its output does not depend on the width.
  for (const [command, pattern] of COMMANDS.filter(([name]) => columns === 80 || name !== 'doctor')) {
    const { code, screen } = await runInTerminal(`./winnow ${command}`, options(shared, columns));
    assert.equal(code, 0, `${command}:\n${screen}`);
    assert.match(screen.replaceAll(/(?<!\s)\s+(?=projects|keys|accounts|templates)/g, ' '), pattern);
    assert.doesNotMatch(screen, /undefined|\[object| {4}at /);
  }
}
