import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { request } from 'undici';
import { createCertificate } from '../../../../../test/site/certificate.ts';
import { createEgress } from '../egress.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi';

interface FickleServer {
  readonly port: number;
  /** Request counts of the connections, in order. */
  readonly served: number[];
}

/** Server behaviour for a request, by its number on the connection (from 1) and its method. */
type Behaviour = (socket: net.Socket, request: number, method: string) => void;

const closeFromSecondOn: Behaviour = (socket, number) => void (number > 1 ? socket.destroy() : socket.write(ANSWER));

async function startFickle(t: TestContext, behave: Behaviour, certificate?: tls.TlsOptions): Promise<FickleServer> {
  const served: number[] = [];
  const serve = (socket: net.Socket): void => {
    const connection = served.push(0) - 1;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const number = (served[connection] ?? 0) + 1;
      served[connection] = number;
      behave(socket, number, data.toString('latin1').split(' ')[0] ?? '');
    });
  };
  const server = certificate ? tls.createServer(certificate, serve) : net.createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, served };
}

async function openSender(
  t: TestContext,
  origin: string,
  extraCa: readonly string[] = [],
): Promise<(method: 'GET' | 'HEAD' | 'POST') => Promise<number>> {
  const egress = createEgress({ rules: { allow: ['127.0.0.1'], deny: [] }, extraCa });
  t.after(() => egress.close());
  return async (method) => {
    const { dispatcher } = egress.guard();
    const { statusCode, body } = await request(origin, { method, dispatcher });
    await body.dump();
    // The connection is idle after this tick.
    await new Promise((resolve) => setImmediate(resolve));
    return statusCode;
  };
}

void test('a request on a connection closed by its server is sent again on a new connection', async (t) => {
  const { port, served } = await startFickle(t, closeFromSecondOn);
  const send = await openSender(t, `http://127.0.0.1:${port}`);
  for (const expected of [[1], [2, 1], [2, 1, 1]]) {
    assert.equal(await send('GET'), 200);
    assert.deepEqual(served, expected);
  }
});

void test('a request on a TLS connection closed by its server is sent again', async (t) => {
  const { key, cert, ca } = await createCertificate(['127.0.0.1']);
  const { port, served } = await startFickle(t, closeFromSecondOn, { key, cert });
  const send = await openSender(t, `https://127.0.0.1:${port}`, [ca]);
  assert.deepEqual([await send('GET'), await send('GET')], [200, 200]);
  assert.deepEqual(served, [2, 1]);
});

void test('a request that the server may have processed is not sent again', async (t) => {
  const { port, served } = await startFickle(t, closeFromSecondOn);
  const send = await openSender(t, `http://127.0.0.1:${port}`);
  assert.equal(await send('POST'), 200);
  await assert.rejects(send('POST'));
  assert.deepEqual(served, [2]);
});

void test('a request is not repeated after a failure on a new connection, a second failure or a partial response', async (t) => {
  const never = await startFickle(t, (socket) => socket.destroy());
  await assert.rejects((await openSender(t, `http://127.0.0.1:${never.port}`))('GET'));
  assert.deepEqual(never.served, [1]);

  let answers = 1;
  const single = await startFickle(t, (socket) => void ((answers -= 1) < 0 ? socket.destroy() : socket.write(ANSWER)));
  const send = await openSender(t, `http://127.0.0.1:${single.port}`);
  await send('GET');
  await assert.rejects(send('GET'));
  assert.deepEqual(single.served, [2, 1]);

  const half = await startFickle(t, (socket, number) => {
    if (number > 1) socket.end('HTTP/1.1 200 OK\r\nContent-Le');
    else socket.write(ANSWER);
  });
  const sendHalf = await openSender(t, `http://127.0.0.1:${half.port}`);
  await sendHalf('GET');
  await assert.rejects(sendHalf('GET'));
  assert.deepEqual(half.served, [2]);
});
