/** Commands on a narrow terminal, and with other settings. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasTerminal, openTerminal, runInTerminal } from './open-terminal.ts';
import { assertCommandsWork, ESCAPE, LISTENING, LOG_LINE, options, sendUnauthorized } from './terminal-fixture.ts';

describe('on a terminal', { skip: hasTerminal() ? false : "needs `script` of Debian's bsdutils" }, () => {
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
