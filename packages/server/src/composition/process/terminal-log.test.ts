import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLogger } from './logger.ts';
import { createTerminalLog } from './terminal-log.ts';

const HOSTILE = 'a\n[00:00:00] INFO: all is well\r\u001B[2J\u009B1m\u202E';

/** A title, header, address and error message of a hostile site. */
function logHostile(makeLog: (out: PassThrough) => ReturnType<typeof createLogger>): string {
  const out = new PassThrough();
  const logger = makeLog(out);
  const req = { method: 'GET', url: `/r/${HOSTILE}` };
  const target = `a.example${HOSTILE}`;
  logger.info({ reqId: 'req_1', req, res: { statusCode: 404 }, responseTime: 1, target }, 'request completed');
  logger.warn({ title: HOSTILE, headers: { [HOSTILE]: HOSTILE } }, HOSTILE);
  logger.error({ err: new Error(HOSTILE, { cause: new Error(HOSTILE) }) }, 'failed');
  return String(out.read());
}

// Checks: threat-terminal
test('a log line in a terminal cannot be forged and cannot control the terminal', () => {
  const log = logHostile((out) => createLogger('info', createTerminalLog(out, { colors: false, verbose: true })));
  assert.equal(log.match(/^\[\d\d:\d\d:\d\d\] /gm)?.length, 3, log);
  assert.doesNotMatch(log, /[^\P{Cc}\n]|\u202E|^\[00:00:00\]/mu);
  assert.match(
    log,
    /\/r\/a\\n\[00:00:00\] INFO: all is well\\r\\u001b\[2J\\u009b1m\\u202e \(a\.example.*\) 404 in 1 ms \[req_1\]$/m,
  );
});

// Checks: threat-terminal
test('a JSON log contains no character that controls a terminal', () => {
  const log = logHostile((out) => createLogger('info', out));
  assert.doesNotMatch(log, /[^\P{Cc}\n]|\u202E/u);
  const entries = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string });
  assert.deepEqual([entries.length, entries[1]?.msg], [3, HOSTILE]);
});
