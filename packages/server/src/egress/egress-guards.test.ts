import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { request } from 'undici';
import type { Dispatcher } from 'undici';
import { createConnectionPool, createTrust } from './dialing/connection-pool.ts';
import { createEgress } from './egress.ts';

async function startServer(t: TestContext, serve: http.RequestListener): Promise<http.Server> {
  const server = http.createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

const originOf = (server: http.Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const get = async (origin: string, dispatcher: Dispatcher): Promise<string> =>
  (await request(origin, { dispatcher })).body.text();

void test('servers cannot extend the idle limit of a connection', { timeout: 30_000 }, async (t) => {
  const server = await startServer(t, (_, response) => {
    response.writeHead(200, { 'keep-alive': 'timeout=600', connection: 'keep-alive' }).end('hi');
  });
  server.keepAliveTimeout = 600_000;
  const connected = once(server, 'connection') as Promise<[net.Socket]>;
  const dial = async (host: string, port: number): Promise<net.Socket> => net.connect(port, host);
  const pool = createConnectionPool(dial, createTrust(), 100);
  t.after(() => pool.destroy());
  assert.equal(await get(originOf(server), pool.dispatcher), 'hi');
  const [socket] = await connected;
  if (!socket.destroyed) await once(socket, 'close');
});

void test('a project keeps its connections while many other projects send requests', async (t) => {
  const server = await startServer(t, (_, response) => void response.end('hi'));
  const egress = createEgress({ rules: { allow: ['127.0.0.1'], deny: [] } });
  t.after(() => egress.close());
  const guardOf = (index: number): ReturnType<typeof egress.guard> =>
    egress.guard({ allow: [`h${index}.test`], deny: [] });
  const [used, held] = [guardOf(0), guardOf(1)];
  for (let index = 2; index < 80; index += 1) {
    guardOf(index);
    assert.equal(guardOf(0), used);
  }
  assert.notEqual(guardOf(1), held);
  assert.equal(await get(originOf(server), held.dispatcher), 'hi');
});
