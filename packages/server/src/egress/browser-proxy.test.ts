import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startCanary } from '../../../../test/site/canary.ts';
import type { Canary } from '../../../../test/site/canary.ts';
import { startTestSite } from '../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../test/site/start-test-site.ts';
import { createDial } from './dialing/dial.ts';
import { compileEgressPolicy } from './policy/egress-policy.ts';
import { openBrowserProxy, TRAFFIC_LIMITS } from './browser-proxy.ts';
import type { BrowserProxy, BrowserProxyOptions } from './browser-proxy.ts';
import { createResolver } from './names/resolver.ts';

let site: TestSite;
let canary: Canary;

before(async () => {
  site = await startTestSite();
  canary = await startCanary();
});

after(async () => {
  await site.close();
  await canary.close();
});

const openProxy = (maxBytes = 1_000_000): Promise<BrowserProxy> => {
  const policy = compileEgressPolicy({ allow: site.allow, deny: [] });
  return openBrowserProxy({ dial: createDial({ policy, resolver: createResolver() }), maxBytes });
};

/** Starts a target and a browser proxy that may reach it. */
const openProxyTo = async (
  target: net.Server,
  limits: Partial<BrowserProxyOptions> = {},
): Promise<{ proxy: BrowserProxy; origin: string }> => {
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const policy = compileEgressPolicy({ allow: [`127.0.0.1:${port}`], deny: [] });
  const dial = createDial({ policy, resolver: createResolver() });
  const proxy = await openBrowserProxy({ dial, maxBytes: 1e6, ...limits });
  return { proxy, origin: `http://127.0.0.1:${port}` };
};

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const ask = (proxy: BrowserProxy, url: string, method = 'GET'): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host };
    const request = http.request({ host: '127.0.0.1', port: proxy.port, path: url, method, headers }).end();
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('error', reject);
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body }),
      );
    });
  });

const connect = async (proxy: BrowserProxy, authority: string): Promise<string> => {
  const socket = net.connect(proxy.port, '127.0.0.1');
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString().split('\r\n')[0] ?? '';
};

void test('responses of pages pass and are not mistaken for responses of the proxy', async () => {
  const proxy = await openProxy();
  const reply = await ask(proxy, `${site.origin}/static`);
  assert.equal(reply.status, 200);
  assert.ok(reply.body.includes('ordinary page') && proxy.receivedBytes >= reply.body.length);
  assert.equal(proxy.isOwnAnswer(reply.headers), false);
  assert.equal(await connect(proxy, `127.0.0.1:${site.httpsPort}`), 'HTTP/1.1 200 Connection Established');
  assert.deepEqual(proxy.blocked, []);
  await proxy.close();
});

void test('a target gets the path and the query as they are, also an empty query', async () => {
  const target = http.createServer(({ url }, response) => void response.end(url));
  const { proxy, origin } = await openProxyTo(target);
  for (const path of ['/a?', '/a', '/?', '/a?b=%zz&c=?', '/a%3F'])
    assert.equal((await ask(proxy, origin + path)).body, path);
  await proxy.close();
  target.close();
});

void test('a request whose connection closes without an answer is sent once more', async () => {
  let connections = 0;
  const target = net.createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      if (connections % 3 === 0) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      else if (data.toString().startsWith('GET /begun')) socket.end('HTTP/1.1 200 OK\r\nContent-Le');
      else socket.destroy();
    });
  });
  const { proxy, origin } = await openProxyTo(target);
  connections = 1;
  assert.equal((await ask(proxy, origin)).body, 'ok');
  for (const [path, method, tries] of [
    ['/', 'GET', 2],
    ['/begun', 'GET', 1],
    ['/', 'POST', 1],
  ] as const) {
    connections = 0;
    const reply = await ask(proxy, origin + path, method);
    assert.deepEqual([reply.status, proxy.isOwnAnswer(reply.headers), connections], [502, true, tries], method + path);
  }
  await proxy.close();
  target.close();
});

// Checks: threat-imitated-refusal
void test('responses for refused targets carry a mark that pages cannot forge, and the targets are listed', async () => {
  const proxy = await openProxy();
  const target = `http://127.0.0.1:${canary.port}/x`;
  const reply = await ask(proxy, target);
  assert.equal(reply.status, 403);
  assert.equal(proxy.isOwnAnswer(reply.headers), true);
  assert.equal(proxy.isOwnAnswer({ 'x-winnow-proxy': 'guess' }), false);
  assert.equal(proxy.failureOf(new URL(target))?.code, 'egress_denied');
  await ask(proxy, target);
  assert.match(await connect(proxy, `localhost:${canary.port}`), /403/);
  assert.match(await connect(proxy, `[::1]:${canary.port}`), /403/);
  assert.deepEqual(
    proxy.blocked.map(({ url }) => url),
    [target, `https://localhost:${canary.port}/`, `https://[::1]:${canary.port}/`],
  );
  assert.deepEqual(canary.visits, []);
  await proxy.close();
});

void test('the failure of an unreachable target names its cause', async () => {
  const proxy = await openProxy();
  const unknown = 'http://unknown.invalid/';
  const reply = await ask(proxy, unknown);
  assert.ok(reply.status === 502 && proxy.isOwnAnswer(reply.headers));
  assert.equal(proxy.failureOf(new URL(unknown))?.code, 'dns_failed');
  assert.ok((await ask(proxy, `${site.origin}/reset`)).status === 502);
  assert.deepEqual(proxy.blocked, []);
  await proxy.close();
});

// Checks: threat-broken-http
void test('an unrequested protocol upgrade is reported at once', async () => {
  let headers = '';
  const target = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\nhi`));
  });
  const { proxy, origin } = await openProxyTo(target);
  const url = `${origin}/`;
  for (headers of ['Connection: Upgrade\r\nUpgrade: x\r\n', 'Upgrade: x\r\n', '']) {
    const reply = await ask(proxy, url);
    assert.ok(reply.status === 502 && proxy.isOwnAnswer(reply.headers), headers);
    assert.equal(proxy.failureOf(new URL(url))?.code, 'connect_failed');
  }
  await proxy.close();
  target.close();
});

// Checks: threat-broken-http
void test('a malformed header from a target or client does not end the process', async () => {
  let head = '';
  const target = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`));
  });
  const { proxy, origin } = await openProxyTo(target);
  const url = `${origin}/`;
  for (const [line, status] of [
    ['200 O\u0001K', 200],
    ['200 O\u0000K', 200],
    ['200 Gr\u00fc\u00df', 200],
    ['099 O\u0001K', 502],
    ['200 O\u0001K\r\nX: a\u0000b', 502],
  ] as const) {
    head = line;
    assert.equal((await ask(proxy, url)).status, status, JSON.stringify(line));
  }
  const socket = net.connect(proxy.port, '127.0.0.1');
  socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  assert.match(data.toString(), /^HTTP\/1\.1 400/);
  socket.destroy();
  await proxy.close();
  target.close();
});

void test('a browser that aborts a request does not count as a failure of the target', async () => {
  const target = http.createServer().listen(0, '127.0.0.1');
  await once(target, 'listening');
  const { port } = target.address() as AddressInfo;
  const policy = compileEgressPolicy({ allow: [`127.0.0.1:${port}`], deny: [] });
  const proxy = await openBrowserProxy({ dial: createDial({ policy, resolver: createResolver() }), maxBytes: 1e6 });
  const url = `http://127.0.0.1:${port}/`;
  const browser = http.request({ host: '127.0.0.1', port: proxy.port, path: url }).end();
  browser.on('error', () => {});
  const [, answer] = (await once(target, 'request')) as [http.IncomingMessage, http.ServerResponse];
  browser.destroy();
  await once(answer, 'close');
  // After another request the proxy knows how this one ended.
  target.on('request', (_request, response) => response.end());
  assert.equal((await ask(proxy, url)).status, 200);
  assert.equal(proxy.failureOf(new URL(url)), undefined);
  await proxy.close();
  target.close();
});

void test('the proxy remembers only the latest failures', async () => {
  const proxy = await openProxy();
  const ports = Array.from({ length: 1001 }, (_, index) => 20_000 + index);
  for (const port of ports) assert.match(await connect(proxy, `127.0.0.1:${port}`), /403/);
  assert.equal(proxy.failureOf(new URL(`https://127.0.0.1:${ports.at(-1)}`))?.code, 'egress_denied');
  assert.equal(proxy.failureOf(new URL(`https://127.0.0.1:${ports[0]}`)), undefined);
  await proxy.close();
});

// Checks: threat-imitated-refusal
void test('the proxy accepts only requests in absolute form and CONNECT', async () => {
  const proxy = await openProxy();
  const socket = net.connect(proxy.port, '127.0.0.1');
  socket.write('GET /relative HTTP/1.1\r\nHost: x\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  assert.match(data.toString(), /^HTTP\/1\.1 400/);
  socket.destroy();
  await proxy.close();
});

void test('the proxy is cut off at its byte limit, and can close while connections are open', async () => {
  const proxy = await openProxy(300_000);
  await ask(proxy, `${site.origin}/large`).catch(() => {});
  assert.ok(proxy.isExhausted && proxy.receivedBytes < 2_000_000);
  await assert.rejects(ask(proxy, `${site.origin}/static`));
  await proxy.close();
  const other = await openProxy();
  const hanging = ask(other, `${site.origin}/hang`);
  while (!site.requests.includes('/hang')) await nextTurn();
  const { port } = other;
  await Promise.all([other.close(), assert.rejects(hanging)]);
  const late = net.connect(port, '127.0.0.1');
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNREFUSED');
});

void test('hop-by-hop headers are not forwarded', async () => {
  const echo = http.createServer((request, response) => {
    response.writeHead(200, {
      'x-seen': Object.keys(request.headers).join(','),
      connection: 'x-secret',
      'x-secret': '1',
    });
    response.end();
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const { port } = echo.address() as AddressInfo;
  const policy = compileEgressPolicy({ allow: [`127.0.0.1:${port}`], deny: [] });
  const proxy = await openBrowserProxy({ dial: createDial({ policy, resolver: createResolver() }), maxBytes: 1e6 });
  const { headers } = await ask(proxy, `http://127.0.0.1:${port}/`);
  assert.equal(headers['x-secret'], undefined);
  assert.ok(!headers['x-seen']?.includes('proxy'));
  await proxy.close();
  echo.close();
});

void test('a safe request is sent again if the target has closed the connection', async () => {
  const served: number[] = [];
  const target = net.createServer((socket) => {
    const connection = served.push(0) - 1;
    socket.on('error', () => {});
    socket.on('data', () => {
      served[connection] = (served[connection] ?? 0) + 1;
      if (served[connection] > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
    });
  });
  const { proxy, origin } = await openProxyTo(target);
  const url = `${origin}/`;
  for (const expected of [[1], [2, 1], [2, 1, 1]]) {
    const reply = await ask(proxy, url);
    assert.deepEqual([reply.status, reply.body, served], [200, 'hi', expected]);
  }
  assert.equal(proxy.failureOf(new URL(url)), undefined);
  assert.equal((await ask(proxy, url, 'POST')).status, 502);
  assert.deepEqual(served, [2, 1, 2]);
  await proxy.close();
  target.close();
});

void test('data after a complete response is ignored, in the same packet or later', async () => {
  const connections: net.Socket[] = [];
  const target = net.createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const rest = data.toString().includes('/long') ? ' and more' : '';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi${rest}`);
    });
  });
  const { proxy, origin } = await openProxyTo(target);
  for (const path of ['/long', '/long', '/short', '/short']) {
    const { status, body } = await ask(proxy, origin + path);
    assert.deepEqual([status, body], [200, 'hi'], path);
  }
  assert.equal(connections.length, 3);
  connections[2]?.write(' and more');
  const { status, body } = await ask(proxy, `${origin}/short`);
  assert.deepEqual([status, body], [200, 'hi']);
  assert.equal(proxy.failureOf(new URL(origin)), undefined);
  await proxy.close();
  target.close();
});

// Checks: threat-traffic
void test('requests above the limits of a capture are refused with a mark, and each exceeded limit is reported', async () => {
  let requests = 0;
  const target = http.createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => response.end('hi'));
  });
  const { proxy, origin } = await openProxyTo(target, { traffic: { ...TRAFFIC_LIMITS, requests: 3, hosts: 1 } });
  for (let count = 0; count < 2; count += 1) assert.equal((await ask(proxy, `${origin}/${count}`)).status, 200);
  const other = await ask(proxy, 'http://other.test/');
  assert.ok(other.status === 403 && proxy.isOwnAnswer(other.headers));
  assert.match(await connect(proxy, 'third.test:443'), /403/);
  const late = await ask(proxy, `${origin}/late`);
  assert.ok(late.status === 403 && proxy.isOwnAnswer(late.headers));
  assert.equal(requests, 2);
  assert.deepEqual(
    proxy.blocked.map(({ url, reason }) => `${url} ${reason}`),
    [
      'http://other.test/ the page sends requests to more than 1 hosts; further ones are refused',
      'https://third.test:443/ the page sends requests to more than 1 hosts; further ones are refused',
      `${origin}/late the page sends more than 3 requests; further ones are refused`,
    ],
  );
  assert.equal(proxy.failureOf(new URL(origin))?.code, 'egress_denied');
  await proxy.close();
  target.close();
});

// Checks: threat-traffic
void test('bytes that a page sends are limited, in bodies and in tunnels', async () => {
  let received = 0;
  const target = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => (received += chunk.length));
  });
  const traffic = { ...TRAFFIC_LIMITS, sentBytes: 1_000_000 };
  const { proxy, origin } = await openProxyTo(target, { traffic });
  const dial = async (): Promise<net.Socket> => {
    const socket = net.connect((target.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const tunnels = await openBrowserProxy({ dial, maxBytes: 1e6, traffic });
  const upload = http.request({ host: '127.0.0.1', port: proxy.port, path: `${origin}/`, method: 'POST' });
  upload.on('error', () => {});
  const socket = net.connect(tunnels.port, '127.0.0.1').on('error', () => {});
  socket.write('CONNECT target.test:443 HTTP/1.1\r\nHost: target.test\r\n\r\n');
  await once(socket, 'data');
  for (const [stream, own] of [
    [upload, proxy],
    [socket, tunnels],
  ] as const) {
    received = 0;
    const closed = new Promise((resolve) => stream.once('close', resolve));
    const send = (): void => {
      if (!stream.destroyed) stream.write(Buffer.alloc(65_536), () => setImmediate(send));
    };
    send();
    await closed;
    assert.match(own.blocked[0]?.reason ?? '', /sends more than .*; further ones are refused/);
    assert.ok(received < 1_500_000, `${received}`);
    await own.close();
  }
  target.close();
});
