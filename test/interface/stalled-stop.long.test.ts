/** A stop of the service with connections that stall. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dumpTestPage, getWithoutKey, startForTest } from '../support/start-for-test.ts';
import type { Running } from '../support/running-service.ts';

/** A stop that waits for its end is ended by the time limit of the file. */
const GRACE = '10m';

/** Opens a connection and sends a text; resolves when the service has read it. */
async function connectAndSay(running: Running, text: string): Promise<Socket> {
  const { hostname, port } = new URL(running.url);
  const taken = once(running.service.app.server, 'connection') as Promise<[Socket]>;
  const socket = connect(Number(port), hostname, () => void socket.write(text));
  const [other] = await taken;
  while (other.bytesRead < text.length) await sleep(10);
  return socket;
}

// Checks: interface-beyond
test('an idle connection does not delay the shutdown', async (t) => {
  const running = await startForTest(t, { WINNOW_SHUTDOWN_GRACE: GRACE });
  const { hostname, port } = new URL(running.url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  const cut = once(socket, 'close');
  await once(socket, 'connect');
  // With this answer the connection has been accepted.
  await getWithoutKey(running, '/healthz');
  await running.service.close();
  await cut;
});

// Checks: interface-beyond
test('half a request delays neither the shutdown nor complete requests', async (t) => {
  const running = await startForTest(t, { WINNOW_SHUTDOWN_GRACE: GRACE });
  const pending = dumpTestPage(running, '/gate');
  while (running.pages.hits('/gate') === 0) await sleep(10);
  const halves = [await connectAndSay(running, 'GET /healthz HT')];
  // The second request of a connection, in the middle of its headers.
  halves.push(await connectAndSay(running, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHo'));
  t.after(() => halves.forEach((socket) => socket.destroy()));
  const cut = Promise.all(halves.map((socket) => once(socket.resume(), 'close')));
  const closing = running.service.close();
  await cut;
  running.pages.openGate();
  assert.equal((await pending).status, 200);
  await closing;
});

// Checks: interface-beyond
test('a stalled body does not delay the shutdown: it is answered 503, and running requests continue', async (t) => {
  const running = await startForTest(t, { WINNOW_SHUTDOWN_GRACE: GRACE });
  const pending = dumpTestPage(running, '/gate');
  while (running.pages.hits('/gate') === 0) await sleep(10);
  const head = `POST /v1/batches HTTP/1.1\r\nHost: x\r\nX-API-Key: ${running.secrets.key_only}\r\nContent-Type: application/json\r\n`;
  const halves = [
    await connectAndSay(running, `${head}Content-Length: 100000\r\n\r\n{`),
    await connectAndSay(running, `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
  ];
  t.after(() => halves.forEach((socket) => socket.destroy()));
  const answers = Promise.all(halves.map((socket) => readText(socket)));
  const closing = running.service.close();
  for (const answer of await answers)
    assert.match(answer, /^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n.*"code":"overloaded"/is);
  running.pages.openGate();
  assert.equal((await pending).status, 200);
  await closing;
});
