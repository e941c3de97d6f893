/** Bodies in millions of chunks: how long they hold the event loop at a time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { readMaxHeldMs } from '../torture/processes.ts';

const CHUNKS = 2_300_000;
let running: Running;
before(async () => {
  running = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_MAX_TIMEOUT: '10m', WINNOW_STAGE_TIMEOUT: '5m' });
  running.service.app.server.requestTimeout = 0;
});
after(() => running.close());

/** Returns a function that returns the longest turn of the event loop since the call. */
function watchTurns(): () => number {
  let isOver = false;
  let longest = 0;
  const readMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = readMs();
  const turn = (): void => {
    const now = readMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longest;
  };
}

/** Sends chunks of four bytes, from another thread: a body of single bytes may be too slow on a busy machine. */
const SENDER = `
const { parentPort, workerData } = require('node:worker_threads');
const net = require('node:net');
const { once } = require('node:events');
const { start, end, chunks, port, head } = workerData;
const encode = (text) => text.length.toString(16) + '\\r\\n' + text + '\\r\\n';
async function send(socket) {
  socket.on('error', () => undefined);
  socket.write(head);
  const block = Buffer.from(encode('aaaa').repeat(10_000));
  socket.write(encode(start));
  for (let sent = 0; sent < chunks; sent += 10_000) if (!socket.write(block)) await once(socket, 'drain');
  socket.write(encode(end) + '0\\r\\n\\r\\n');
}
if (port === undefined) {
  const server = net.createServer((socket) => socket.once('data', () => void send(socket)));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
} else {
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
    if (text.includes('}')) parentPort.postMessage(text);
  });
  void send(socket);
}
`;

function startSender(data: {
  readonly head: string;
  readonly start: string;
  readonly end: string;
  port?: number;
}): Worker {
  return new Worker(SENDER, { eval: true, workerData: { ...data, chunks: CHUNKS } });
}

// Checks: threat-small-chunks
test('an upload in 2.3 million chunks holds the event loop for less than 250 ms at a time', async (t) => {
  const { port, host } = new URL(running.url);
  const sender = startSender({
    head: `POST /v1/snapshots HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${running.secrets.key_only}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    start: '{"url":"https://a.example/","html":"<p>',
    end: '"}',
    port: Number(port),
  });
  t.after(() => sender.terminate());
  const stopWatch = watchTurns();
  const [answer] = (await once(sender, 'message')) as [string];
  const held = stopWatch();

  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, new RegExp(`"html_bytes":${4 * CHUNKS + 3}\\b`));
  assert.ok(held < readMaxHeldMs(), `the loop was held for ${held} ms`);
});

// Checks: threat-small-chunks
test('a page in 2.3 million chunks holds the event loop for less than 250 ms at a time', async (t) => {
  const sender = startSender({
    head: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n',
    start: '<!doctype html><title>Chunks</title><p>',
    end: '</p>',
  });
  t.after(() => sender.terminate());
  const [port] = (await once(sender, 'message')) as [number];
  const stopWatch = watchTurns();
  const options = { engine_preference: 'http', timeout_ms: 300_000 };
  const { status, body } = await running.call('/v1/dom/dump', { url: `http://127.0.0.1:${port}/`, options });
  const held = stopWatch();

  assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
  assert.ok(body.html.length > 4 * CHUNKS);
  assert.ok(held < readMaxHeldMs(), `the loop was held for ${held} ms`);
});
