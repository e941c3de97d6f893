import assert from 'node:assert/strict';
import net from 'node:net';
import tls from 'node:tls';
import { after, before, test } from 'node:test';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { startCanary } from '../../../../../test/site/canary.ts';
import type { Canary } from '../../../../../test/site/canary.ts';
import { createCertificate } from '../../../../../test/site/certificate.ts';
import { startDnsServer } from '../../../../../test/site/dns-server.ts';
import type { DnsServer } from '../../../../../test/site/dns-server.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { createDial } from './dial.ts';
import type { Dial } from './dial.ts';
import { compileEgressPolicy } from '../policy/egress-policy.ts';
import { createResolver } from '../names/resolver.ts';
import { connectThroughProxy } from './upstream-proxy.ts';

let canary: Canary;
let dns: DnsServer;

const PUBLIC = '93.184.216.34';

before(async () => {
  canary = await startCanary();
  dns = await startDnsServer({
    'inside.test': () => ['127.0.0.1'],
    'mixed.test': () => [PUBLIC, '127.0.0.1'],
    'mixed6.test': () => [PUBLIC, '::ffff:7f00:1'],
    // Changes its answer every time, as a rebinding server does.
    'rebind.test': (question) => [question === 0 ? '127.0.0.1' : '127.0.0.2'],
    'empty.test': () => [],
    'both.test': () => ['127.0.0.1', '::1'],
  });
});

after(async () => {
  await canary.close();
  await dns.close();
});

const dialWith = (allow: readonly string[], cacheMs = 0): Dial =>
  createDial({
    policy: compileEgressPolicy({ allow, deny: [] }),
    resolver: createResolver({ servers: [dns.address], cacheMs, timeoutMs: 3000 }),
    connectTimeoutMs: 3000,
  });

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

// Checks: threat-dns-answer
void test('a name with any refused address is refused, without a connection', async () => {
  const dial = dialWith([]);
  for (const host of ['inside.test', 'mixed.test', 'mixed6.test', '127.0.0.1', '::1', 'localhost']) {
    await assert.rejects(dial(host, canary.port), hasCode('egress_denied'), host);
  }
  assert.deepEqual(canary.visits, []);
});

// Checks: threat-dns-rebinding
void test('the connection goes to the checked address, even if the name server changes its answer', async () => {
  const local = net.createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(local, 'listening');
  const { port } = local.address() as AddressInfo;
  try {
    const dial = dialWith([`127.0.0.1:${port}`]);
    const socket = await dial('rebind.test', port);
    assert.equal(socket.remoteAddress, '127.0.0.1');
    socket.destroy();
    // The next answer is a refused address, and is checked as well.
    await assert.rejects(dial('rebind.test', port), hasCode('egress_denied'));
  } finally {
    local.close();
  }
});

void test('a slow address is not abandoned for one without a listener', async () => {
  const local = net.createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(local, 'listening');
  const { port } = local.address() as AddressInfo;
  const dial = dialWith([`127.0.0.1:${port}`, `[::1]:${port}`], 60_000);
  (await dial('both.test', port)).destroy();
  const dialling = dial('both.test', port).finally(() => local.close());
  // The name is cached, so the attempt starts within a few ticks and ends half a second later.
  for (let turns = 0; turns < 4; turns += 1) {
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
  (await dialling).destroy();
});

void test('a name without an address is dns_failed, a port without a listener connect_failed', async () => {
  const closed = net.createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const dial = dialWith(['127.0.0.1']);
  await assert.rejects(dial('empty.test', 80), hasCode('dns_failed'));
  await assert.rejects(dial('unknown.invalid', 80), hasCode('dns_failed'));
  await assert.rejects(dial('127.0.0.1', port), hasCode('connect_failed'));
});

void test('answers are reused until the cache expires', async () => {
  const dial = dialWith([], 60_000);
  await Promise.allSettled([dial('inside.test', 80), dial('inside.test', 80)]);
  const queries = dns.questions.get('inside.test/1');
  await assert.rejects(dial('inside.test', 80), hasCode('egress_denied'));
  assert.equal(dns.questions.get('inside.test/1'), queries);
});

// Checks: threat-upstream-proxy
void test('an upstream proxy gets the checked address, and refused targets do not reach it', async () => {
  const lines: string[] = [];
  const proxy = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      lines.push(data.toString('latin1').split('\r\n')[0] ?? '');
      lines.push(/^Proxy-Authorization: (.*)\r$/im.exec(data.toString('latin1'))?.[1] ?? '');
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello');
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const upstreamProxy = new URL(`http://us%40er:100%@127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  try {
    const dial = createDial({
      policy: compileEgressPolicy({ allow: ['127.0.0.1:81'], deny: [] }),
      resolver: createResolver({ servers: [dns.address], cacheMs: 0 }),
      proxyFor: () => upstreamProxy,
    });
    const socket = await dial('inside.test', 81);
    const [greeting] = (await once(socket.resume(), 'data')) as [Buffer];
    assert.equal(greeting.toString(), 'hello');
    socket.destroy();
    await assert.rejects(dial('inside.test', 82), hasCode('egress_denied'));
    assert.deepEqual(lines, ['CONNECT 127.0.0.1:81 HTTP/1.1', `Basic ${Buffer.from('us@er:100%').toString('base64')}`]);
  } finally {
    proxy.close();
  }
});

// Checks: threat-revealing-message
void test('errors of an unreachable upstream proxy do not reveal its address', async () => {
  const target = { name: 'a.test', port: 80, addresses: [PUBLIC] };
  for (const proxy of ['http://127.0.0.1:9', 'http://localhost:9', 'http://proxy.invalid:9']) {
    const message = /^no connection through the upstream proxy \((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)$/;
    await assert.rejects(connectThroughProxy(new URL(proxy), target, { timeoutMs: 10_000, abandoned: undefined }), {
      code: 'connect_failed',
      message,
    });
  }
});

void test('an upstream proxy given by address gets no server name in TLS', async (t) => {
  const names: string[] = [];
  const { key, cert } = await createCertificate(['127.0.0.1']);
  const SNICallback: tls.TlsOptions['SNICallback'] = (name, done) => {
    names.push(name);
    done(null);
  };
  const proxy = tls.createServer({ key, cert, SNICallback }).listen(0, '127.0.0.1');
  proxy.on('tlsClientError', () => {});
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const target = { name: 'a.test', port: 80, addresses: [PUBLIC] };
  for (const host of ['127.0.0.1', 'localhost']) {
    // Its certificate is not trusted.
    const work = connectThroughProxy(new URL(`https://${host}:${port}`), target, {
      timeoutMs: 10_000,
      abandoned: undefined,
    });
    await assert.rejects(work, hasCode('connect_failed'));
  }
  assert.deepEqual(names, ['localhost']);
});
