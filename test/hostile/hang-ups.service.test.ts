/** Callers who hang up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startForTest } from '../support/start-for-test.ts';

// Checks: threat-hang-up
test('a stranger who hangs up during a sign-in leaves no error in the log', async (t) => {
  const running = await startForTest(t, { WINNOW_CHROMIUM: 'none' });
  const body = JSON.stringify({ email: 'a@example.com', password: 'not the right one' });
  const head = `POST /admin/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { hostname, port } = new URL(running.url);
  const isAbandoned = (): boolean => running.log.some((line) => line.includes('request abandoned'));
  // A sign-in may end before the service notices.
  for (let sent = 0; sent < 100 && !isAbandoned(); sent += 1) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.end(head + body);
    await once(socket, 'finish');
    socket.resetAndDestroy();
    await once(socket, 'close');
    assert.equal((await fetch(`${running.url}/healthz`)).status, 200);
  }
  assert.ok(isAbandoned(), running.log.join('\n'));
  assert.deepEqual(
    running.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
  );
});
