/** The commands of the README on a terminal: what a person sees, character by character. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { hasTerminal, openTerminal, ROOT, runInTerminal } from './open-terminal.ts';
import type { Terminal, TerminalOptions } from './open-terminal.ts';

const PAGE = `<!doctype html><html lang="en"><title>The valley</title><main><article><h1>The valley</h1>
<p>${'Spring comes late to the valley, and the river carries the snow of the mountains down. '.repeat(5)}</p>
<p>${'Walkers on the old road before noon meet nobody but the shepherd and his dogs. '.repeat(5)}</p></article></main>`;

const ESCAPE = '\u001B';
const LOG_LINE = /^\[\d\d:\d\d:\d\d\] INFO: POST \/v1\/extract 401 in \d+ ms: unauthorized \(auth\): .+$/m;

const folder = await mkdtemp(path.join(tmpdir(), 'winnow-terminal-'));
after(() => rm(folder, { recursive: true, force: true }));
const page = path.join(folder, 'page.html');
await writeFile(page, PAGE);
let count = 0;

function options(environment: Readonly<Record<string, string>> = {}, columns = 80): TerminalOptions {
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

const LISTENING = /(http:\/\/127\.0\.0\.1:\d+)/;

/** Waits until the service listens, then sends a request without a key. */
async function sendUnauthorized(terminal: Terminal): Promise<void> {
  const [, url = ''] = await terminal.waitFor(LISTENING);
  await fetch(`${url}/healthz`);
  const answer = await fetch(`${url}/v1/extract`, { method: 'POST', body: '{}' });
  assert.equal(answer.status, 401);
  await answer.text();
}

describe('on a terminal', { skip: hasTerminal() ? false : "needs `script` of Debian's bsdutils" }, () => {
  for (const command of ['npm start', './winnow serve']) {
    test(`${command} prints a readable, colored log, and Ctrl-C stops it with exit code 0`, async () => {
      const terminal = openTerminal(command, options());
      await sendUnauthorized(terminal);
      await terminal.waitFor(LOG_LINE);
      assert.ok(terminal.raw.includes(`${ESCAPE}[32mINFO`), 'the level has a color');
      assert.doesNotMatch(terminal.screen, /\{"level"|incoming request|healthz/);
      terminal.pressCtrlC();
      assert.equal(await terminal.ended, 0, terminal.screen);
      assert.match(terminal.screen, /INFO: stopping/);
      assert.doesNotMatch(terminal.screen, /Error|undefined|\[object/);
    });
  }

  test('NO_COLOR turns colors off', async () => {
    const terminal = openTerminal('./winnow serve', options({ NO_COLOR: '1' }));
    await sendUnauthorized(terminal);
    await terminal.waitFor(LOG_LINE);
    assert.ok(!terminal.raw.includes(ESCAPE), terminal.raw);
    terminal.pressCtrlC();
    assert.equal(await terminal.ended, 0);
  });

  test('WINNOW_LOG_LEVEL=silent leaves the start message alone', async () => {
    const terminal = openTerminal('./winnow serve', options({ WINNOW_LOG_LEVEL: 'silent' }));
    await sendUnauthorized(terminal);
    terminal.pressCtrlC();
    assert.equal(await terminal.ended, 0);
    assert.doesNotMatch(terminal.screen, /INFO|\{"level"/);
    assert.match(terminal.screen, LISTENING);
  });

  test('WINNOW_LOG_LEVEL=debug also prints routine requests', async () => {
    const terminal = openTerminal('./winnow serve', options({ WINNOW_LOG_LEVEL: 'debug' }));
    await sendUnauthorized(terminal);
    await terminal.waitFor(/GET \/healthz 200 in \d+ ms/);
    terminal.pressCtrlC();
    assert.equal(await terminal.ended, 0);
  });

  test('serve --json prints JSON lines only', async () => {
    const terminal = openTerminal('./winnow serve --json', options());
    await sendUnauthorized(terminal);
    await terminal.waitFor(/request completed/);
    terminal.pressCtrlC();
    assert.equal(await terminal.ended, 0);
    const lines = terminal.screen.split('\n').filter((line) => line.startsWith('{'));
    assert.ok(lines.length >= 3, terminal.screen);
    for (const line of lines) JSON.parse(line);
    assert.deepEqual(
      terminal.screen.split('\n').filter((line) => !/^(?:\{.*\}|\^C)?$/.test(line.replace(/^\^C/, ''))),
      [],
    );
  });

  /** Command → what its screen shows. Each one is in the README. */
  const COMMANDS: readonly (readonly [string, RegExp])[] = [
    [`extract ${page} --format text`, /^Spring comes late to the valley/m],
    [`extract ${page}`, /"title": "The valley"/],
    ['projects list', /there are no projects/],
    ['keys list', /there are no keys/],
    ['users list', /there are no accounts/],
    ['templates list', /there are no templates/],
    ['doctor', /^ok {6}database: SQLite answers/m],
    ['help batch', /^Usage: winnow batch /m],
  ];

  for (const columns of [80, 20]) {
    test(`commands work in a terminal of ${columns} columns`, async () => {
      // The doctor takes seconds, and prints lines of the same kind at any width.
      for (const [command, pattern] of COMMANDS.filter(([name]) => columns === 80 || name !== 'doctor')) {
        const { code, screen } = await runInTerminal(`./winnow ${command}`, options({}, columns));
        assert.equal(code, 0, `${command}:\n${screen}`);
        assert.match(screen.replaceAll(/\s+(?=projects|keys|accounts|templates)/g, ' '), pattern);
        assert.doesNotMatch(screen, /undefined|\[object| {4}at /);
      }
    });
  }

  test('--json prints one JSON value', async () => {
    for (const command of ['projects list --json', 'users list --json', 'keys list --json', 'doctor --json']) {
      const { code, screen } = await runInTerminal(`./winnow ${command}`, options());
      assert.equal(code, 0, screen);
      JSON.parse(screen);
    }
  });

  test('batch writes its progress over one line, whatever the width', async () => {
    const input = path.join(folder, 'pages.jsonl');
    await writeFile(input, ['a', 'b'].map((id) => `${JSON.stringify({ id, html: PAGE })}\n`).join(''));
    for (const columns of [80, 20]) {
      const command = `./winnow batch -i ${input} -o ${path.join(folder, `results-${columns}.jsonl`)} --threads 1`;
      const { code, raw } = await runInTerminal(command, options({}, columns));
      assert.equal(code, 0, raw);
      const drawn = raw.split('\r').map((part) => part.replace(`${ESCAPE}[K`, '').trim());
      assert.ok(
        drawn.some((text) => text.startsWith('2 pages')),
        raw,
      );
      for (const text of drawn) assert.ok(text.length < columns, text);
    }
  });

  test('Ctrl-C ends a batch with exit code 130, even while it waits for input', async () => {
    const output = path.join(folder, 'interrupted.jsonl');
    const terminal = openTerminal(`./winnow batch -i - -o ${output} --threads 1`, options());
    await terminal.waitFor(/0 pages/);
    terminal.pressCtrlC();
    assert.equal(await terminal.ended, 130, terminal.screen);
    assert.match(terminal.screen, /run the same command again/);
  });
});

test('without a terminal the log is JSON without colors', async () => {
  const { environment } = options();
  const service = promisify(execFile)('./winnow', ['serve'], { cwd: ROOT, env: { ...process.env, ...environment } });
  let printed = '';
  let isStopping = false;
  service.child.stdout?.on('data', (chunk) => {
    printed += String(chunk);
    // A second signal would end the service at once.
    if (!isStopping && printed.includes('"msg":"Server listening')) isStopping = service.child.kill('SIGINT');
  });
  const { stdout } = await service;
  assert.ok(!stdout.includes(ESCAPE));
  assert.match(stdout, /^\{"level":30,"time":"[^"]+","msg":"stopping"\}$/m);
});

test('the terminal test covers the commands of the README', async () => {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  for (const command of ['npm start', './winnow extract', './winnow batch', './winnow doctor', './winnow help'])
    assert.ok(readme.includes(command), command);
});
