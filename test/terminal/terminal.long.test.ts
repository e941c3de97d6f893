/** Commands on a narrow terminal, and with other settings. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { hasTerminal, openTerminal, runInTerminal } from './open-terminal.ts';
import {
  assertCommandsWork,
  assertReadableLog,
  ESCAPE,
  folder,
  LISTENING,
  LOG_LINE,
  options,
  PAGE,
  sendUnauthorized,
} from './terminal-fixture.ts';

describe('on a terminal', { skip: hasTerminal() ? false : "needs `script` of Debian's bsdutils" }, () => {
  test('./winnow serve prints a readable, colored log, and Ctrl-C stops it with exit code 0', () =>
    assertReadableLog('./winnow serve'));

  test('commands work in a terminal of 80 columns', () => assertCommandsWork(80));

  test('batch keeps its progress on one line at any width', async () => {
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

  test('NO_COLOR turns colors off', async () => {
    const terminal = openTerminal('./winnow serve', options({ NO_COLOR: '1' }));
    await sendUnauthorized(terminal);
    await terminal.waitFor(LOG_LINE);
    assert.ok(!terminal.raw.includes(ESCAPE), terminal.raw);
    terminal.pressCtrlC();
    assert.equal(await terminal.ended, 0);
  });

  test('WINNOW_LOG_LEVEL=silent prints only the start message', async () => {
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

  test('commands work in a terminal of 20 columns', () => assertCommandsWork(20));

  test('--json prints one JSON value', async () => {
    for (const command of ['projects list --json', 'users list --json', 'keys list --json', 'doctor --json']) {
      const { code, screen } = await runInTerminal(`./winnow ${command}`, options());
      assert.equal(code, 0, screen);
      JSON.parse(screen);
    }
  });
});
