import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRunning } from '../support/running-service.ts';
import type { Body, Running } from '../support/running-service.ts';

/** Largest body in this test. Four fill the whole budget, two that of a key. */
const LARGEST = 1024 * 1024;

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly message: string;
}

/** Keep-alive: with `Connection: close` the server closes before it reads the body. */
const agent = new Agent({ keepAlive: true });

let running: Running;
let keys: string[];
before(async () => {
  // Uploaded pages must not raise the budget above that of batches.
  running = await startRunning({ WINNOW_BATCH_MAX_BODY_BYTES: String(LARGEST), WINNOW_MAX_PAGE_BYTES: '256KiB' });
  const { projectId } = running;
  keys = await Promise.all([1, 2, 3].map(() => running.addKey({ projectId, kind: 'key_only' })));
});
after(async () => {
  agent.destroy();
  await running.close();
});

/** Begins a batch request: chunked without a size. */
function begin(key: string, size?: number): ClientRequest {
  return request(`${running.url}/v1/batches`, {
    method: 'POST',
    agent,
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      ...(size === undefined ? {} : { 'Content-Length': size }),
    },
  });
}

/** Sends a body of the largest size without its last byte. */
function hold(key: string): ClientRequest {
  const sent = begin(key, LARGEST).on('error', () => undefined);
  sent.write('['.padEnd(LARGEST - 1));
  return sent;
}

async function finish(sent: ClientRequest, body: string): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  sent.removeAllListeners('error').on('error', reject);
  sent.on('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    readText(response).then((text) => {
      const { message } = (JSON.parse(text) as Body).error;
      resolve({ status, retryAfter: headers['retry-after'], message });
    }, reject);
  });
  sent.end(body);
  return promise;
}

/** Sends an invalid batch that is counted: 400 if it fits the budget, else 503. */
const sendLarge = (key: string): Promise<Reply> => finish(begin(key, 100_000), ' '.repeat(100_000));

/** Sends 30 MB in one chunk, then another request on the same connection; returns both answers. */
async function sendInChunks(key: string): Promise<string> {
  const { hostname, port } = new URL(running.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const head = `POST /v1/batches HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  socket.write(`${(30_000_000).toString(16)}\r\n${' '.repeat(30_000_000)}\r\n0\r\n\r\n`);
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  let answers = '';
  for await (const text of socket) {
    answers += String(text);
    if (answers.includes('"status":"ok"')) return answers;
  }
  throw new Error(`the connection ended after: ${answers}`);
}

async function sendLargeUntil(key: string, status: number): Promise<Reply> {
  for (;;) {
    const reply = await sendLarge(key);
    if (reply.status === status) return reply;
    await sleep(10);
  }
}

// Checks: threat-slow-bodies
test(
  'large bodies in progress above the total budget, or that of their key, are 503',
  { timeout: 60_000 },
  async () => {
    const [first = '', second = '', third = ''] = keys;
    const ofFirst = [hold(first), hold(first)];
    const refused = await sendLargeUntil(first, 503);
    assert.match(refused.message, /^too many large request bodies of this key/);
    assert.equal(refused.retryAfter, '5');
    assert.match(await sendInChunks(first), /^HTTP\/1\.1 503 .*"too many large request bodies of this key/s);
    assert.equal((await finish(begin(first, 2), '{}')).status, 400, 'a small body is not counted');
    assert.equal((await finish(begin(first), '{}')).status, 400, 'a small chunked body is not counted');
    assert.equal((await sendLarge(second)).status, 400, 'other keys are not affected');

    const ofSecond = [hold(second), hold(second)];
    assert.match((await sendLargeUntil(third, 503)).message, /^too many large request bodies are in progress/);

    for (const sent of ofFirst) sent.destroy();
    await sendLargeUntil(third, 400);
    await sendLargeUntil(first, 400);

    for (const sent of ofSecond) assert.equal((await finish(sent, ' ')).status, 400);
    await sendLargeUntil(second, 400);
  },
);

// Checks: threat-slow-bodies
test('a body above the size limit is 413 even when the budget is full', async () => {
  const [first = ''] = keys;
  const held = [hold(first), hold(first)];
  await sendLargeUntil(first, 503);
  assert.equal((await finish(begin(first, LARGEST + 1), ' '.repeat(LARGEST + 1))).status, 413);
  for (const sent of held) sent.destroy();
});

// Checks: threat-slow-bodies
test('routes without a key accept only small bodies', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const body = ' '.repeat(100_000);
  const { status } = await fetch(`${running.url}/admin/v1/session`, { method: 'POST', headers, body });
  assert.equal(status, 413);
});

// Checks: threat-slow-bodies
test('large bodies that are declared but not sent use no budget', async () => {
  const [first = '', second = ''] = keys;
  const declared = Array.from({ length: 6 }, (_, index) => begin(index < 3 ? first : second, LARGEST));
  for (const sent of declared) {
    sent.on('error', () => undefined);
    sent.write('[');
  }
  for (let count = 0; count < 5; count += 1) assert.equal((await sendLarge(second)).status, 400);
  for (const sent of declared) sent.destroy();
});
