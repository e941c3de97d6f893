/** Bodies sent in chunks of one byte: how much memory they hold while they arrive. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HttpGet } from '../../packages/server/src/engines/http/http-get.ts';
import { createEgress } from '../../packages/server/src/egress/egress.ts';
import type { Egress } from '../../packages/server/src/egress/egress.ts';

const BYTES = 150_000;
const CHUNKS = Buffer.from('1\r\nx\r\n'.repeat(BYTES));
const AT_ONCE = 12;
/** Held bytes of twelve bodies of 150,000 bytes, with their blocks, sockets and parsers. */
const MAX_HELD = 30 * 1_048_576;
const { signal } = new AbortController();

let collectGarbage: () => void;

before(() => {
  setFlagsFromString('--expose-gc');
  collectGarbage = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
});

interface ChunkedSite {
  readonly origin: string;
  readonly egress: Egress;
  /** Resolves when the clients have read all chunks of `count` bodies, which have no end yet. */
  received(count: number): Promise<void>;
  finish(): void;
}

async function startChunkedSite(t: TestContext): Promise<ChunkedSite> {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write(CHUNKS, () => sockets.push(socket));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const egress = createEgress({ rules: { allow: ['127.0.0.1'], deny: [] } });
  t.after(async () => {
    await egress.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    egress,
    received: async (count) => {
      while (sockets.length < count) await sleep(20);
      // What the server has handed to the system arrives in this process.
      await sleep(500);
    },
    finish: () => {
      for (const socket of sockets) socket.write('0\r\n\r\n');
    },
  };
}

function measureHeld(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function assertHeld(base: number): void {
  const held = measureHeld() - base;
  assert.ok(held < MAX_HELD, `${AT_ONCE} bodies of ${BYTES} bytes hold ${Math.round(held / 1_048_576)} MiB`);
}

const each = <T>(make: () => T): T[] => Array.from({ length: AT_ONCE }, make);

// Checks: threat-small-chunks
test('twelve pages sent in one-byte chunks at once hold little more than their bytes', async (t) => {
  const site = await startChunkedSite(t);
  const { dispatcher } = site.egress.guard();
  const base = measureHeld();
  const tooLarge = (): Error => new Error('too large');
  const gets = each(
    () => new HttpGet(new URL(site.origin), { dispatcher, headers: {}, signal, maxBytes: 1e7, tooLarge }),
  );
  await site.received(AT_ONCE);
  assertHeld(base);
  site.finish();
  for (const get of gets) assert.equal((await get.body).bytes.toString('latin1'), 'x'.repeat(BYTES));
});

// Checks: threat-small-chunks
test('pages sent in one-byte chunks to a browser that reads nothing hold little memory', async (t) => {
  const site = await startChunkedSite(t);
  const proxy = await site.egress.guard().openBrowserProxy({ maxBytes: 1e8 });
  t.after(() => proxy.close());
  const base = measureHeld();
  const browsers = await Promise.all(
    each(async () => {
      const request = http.get({ host: '127.0.0.1', port: proxy.port, path: `${site.origin}/` });
      request.on('error', () => undefined);
      const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
      return { request, answer };
    }),
  );
  await sleep(1000);
  assertHeld(base);
  await site.received(AT_ONCE);
  site.finish();
  let length = 0;
  for await (const chunk of browsers[0]?.answer ?? assert.fail()) length += (chunk as Buffer).length;
  assert.equal(length, BYTES);
  for (const { request } of browsers) request.destroy();
});
