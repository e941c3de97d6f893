import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTION_LIMITS, createBoundedServer } from './bounded-server.ts';
import type { ConnectionLimits } from './bounded-server.ts';

/** More than the socket buffers of both ends. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'a');

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Started {
  /** Opens a connection that reads nothing until its caller does. */
  readonly open: (requests: string) => Promise<{ readonly client: Socket; readonly atServer: Socket }>;
}

async function start(
  t: TestContext,
  answer: Answer,
  { onFull = () => undefined, ...limits }: Partial<ConnectionLimits> & { readonly onFull?: () => void } = {},
): Promise<Started> {
  const server = createBoundedServer({ limits: { ...CONNECTION_LIMITS, ...limits }, onFull }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients: Socket[] = [];
  t.after(() => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    async open(requests) {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.pause().on('error', () => undefined);
      clients.push(client);
      const [atServer] = (await once(server, 'connection')) as [Socket];
      client.write(requests);
      return { client, atServer };
    },
  };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

// Checks: threat-unread-answers
test('pipelined requests are answered in order, one at a time', { timeout: 20_000 }, async (t) => {
  let running = 0;
  let most = 0;
  const { open } = await start(t, ({ url }, response) => {
    running += 1;
    most = Math.max(most, running);
    setImmediate(() => {
      running -= 1;
      response.end(`<${url ?? ''}>`);
    });
  });
  const { client } = await open(Array.from({ length: 50 }, (_, index) => get(`/${index}`)).join(''));
  let text = '';
  for await (const chunk of client.setEncoding('latin1')) {
    text += String(chunk);
    if (text.includes('</49>')) break;
  }
  assert.deepEqual(
    Array.from(text.matchAll(/<\/(\d+)>/g), ([, index]) => Number(index)),
    Array.from({ length: 50 }, (_, index) => index),
  );
  assert.equal(most, 1);
});

// Checks: threat-unread-answers
test('one request more than may be unanswered closes the connection', { timeout: 20_000 }, async (t) => {
  let started = 0;
  const { open } = await start(t, () => (started += 1), { maxUnanswered: 8 });
  const { atServer } = await open(get('/').repeat(8));
  await sleep(50);
  assert.equal(atServer.destroyed, false);
  const closed = once((await open(get('/').repeat(1700))).atServer, 'close');
  await closed;
  assert.equal(started, 2);
});

// Checks: threat-unread-answers
test('a connection that takes nothing of its answer for the time limit is closed', { timeout: 20_000 }, async (t) => {
  const { open } = await start(t, (_request, response) => response.end(LARGE), { writeTimeoutMs: 200 });
  await once((await open(get('/'))).atServer, 'close');
});

test('a slow reader keeps its connection while it reads', { timeout: 60_000 }, async (t) => {
  const { open } = await start(t, (_request, response) => response.end(LARGE), { writeTimeoutMs: 1000 });
  const { client } = await open(get('/'));
  let received = 0;
  for await (const chunk of client) {
    received += (chunk as Buffer).length;
    if (received >= LARGE.length) break;
    if (received % 7 === 0) await sleep(1);
  }
  assert.ok(received >= LARGE.length);
});

test('a request that is worked on for longer than the write time limit is answered', { timeout: 20_000 }, async (t) => {
  const { open } = await start(t, (_request, response) => setTimeout(() => response.end('late'), 700), {
    writeTimeoutMs: 100,
  });
  const { client } = await open(get('/'));
  const [text] = (await once(client.setEncoding('latin1').resume(), 'data')) as [string];
  assert.match(text, /late/);
});

// Checks: threat-unread-answers
test(
  'of the connections that do not read, those that wait longest are closed first',
  { timeout: 20_000 },
  async (t) => {
    const { open } = await start(t, (_request, response) => response.end(LARGE), {
      maxUnreadBytes: LARGE.length + 1024,
    });
    const first = await open(get('/'));
    const closed = once(first.atServer, 'close');
    await sleep(1500);
    const second = await open(get('/'));
    await closed;
    assert.equal(second.atServer.destroyed, false);
  },
);

// Checks: threat-connections
test('connections above the limit replace the oldest one without a request', { timeout: 20_000 }, async (t) => {
  let full = 0;
  const held: ServerResponse[] = [];
  const answer: Answer = (_request, response) => void held.push(response);
  const { open } = await start(t, answer, { maxConnections: 3, onFull: () => (full += 1) });
  const busy = await open(get('/'));
  const idle = [await open(''), await open('')];
  while (held.length < 1) await sleep(5);
  const closed = once(idle[0]!.client.resume(), 'close');
  const third = await open('');
  await closed;
  await open('');
  await once(idle[1]!.client.resume(), 'close');
  assert.deepEqual([busy.atServer.destroyed, third.atServer.destroyed], [false, false]);
  held[0]?.end('late');
  const [text] = (await once(busy.client.setEncoding('latin1').resume(), 'data')) as [string];
  assert.match(text, /late/);
  assert.equal(full, 1, 'the log has one line');
});

// Checks: threat-connections
test('a connection above the limit is closed while each open one has a request', { timeout: 20_000 }, async (t) => {
  const started: IncomingMessage[] = [];
  const { open } = await start(t, (request) => void started.push(request), { maxConnections: 2 });
  const busy = [await open(get('/')), await open(get('/'))];
  while (started.length < 2) await sleep(5);
  const { client } = await open(get('/'));
  await once(client.resume(), 'close');
  assert.deepEqual(
    busy.map(({ atServer }) => atServer.destroyed),
    [false, false],
  );
  assert.equal(started.length, 2);
});
