/** The output of the documented commands on a terminal. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { hasTerminal, openTerminal, ROOT } from './open-terminal.ts';
import { assertReadableLog, ESCAPE, folder, options, sendUnauthorized } from './terminal-fixture.ts';

describe('on a terminal', { skip: hasTerminal() ? false : "needs `script` of Debian's bsdutils" }, () => {
  // Checks: threat-terminal
  test('npm start prints a readable, colored log, and Ctrl-C stops it with exit code 0', () =>
    assertReadableLog('npm start'));

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

test('the terminal test covers the commands of the quick start and of the page about the command line', async () => {
  const commands = {
    'quick-start.md': ['npm start', './winnow extract'],
    'command-line.md': ['./winnow extract', './winnow batch', './winnow doctor', './winnow help'],
  };
  for (const [page, named] of Object.entries(commands)) {
    const text = await readFile(path.join(ROOT, 'docs', page), 'utf8');
    for (const command of named) assert.ok(text.includes(command), `${page}: ${command}`);
  }
});
