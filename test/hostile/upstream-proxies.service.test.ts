/** Upstream proxies on loopback: which requests leave through which, and that none bypasses the policy. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { EnginePreference } from '@winnow/contract';
import { AppError } from '../../packages/server/src/domain/shared/errors.ts';
import type { ProjectEgress } from '../../packages/server/src/domain/capture/capture-ports.ts';
import { createTestFetcher } from '../../packages/server/src/composition/testing/test-fetcher.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startTestSite } from '../site/start-test-site.ts';
import { startConnectProxy } from './connect-proxy.ts';
import type { ConnectProxy } from './connect-proxy.ts';

let main: ConnectProxy;
let eu: ConnectProxy;
let us: ConnectProxy;
before(async () => {
  [main, eu, us] = await Promise.all([startConnectProxy(), startConnectProxy(), startConnectProxy()]);
});
after(() => Promise.all([main.close(), eu.close(), us.close()]));

/** Targets requested from each proxy, without duplicates: browsers open several connections. */
function takeAll(): Record<string, readonly string[]> {
  const found = Object.entries({ main, eu, us }).map(([name, proxy]) => [name, [...new Set(proxy.take())]] as const);
  return Object.fromEntries(found.filter(([, targets]) => targets.length > 0));
}

const ENGINES = ['http', 'vendor_dcl'] as const;

// Checks: threat-upstream-proxy
test('no upstream proxy bypasses the policy, and none is asked to resolve a name', async (t) => {
  const site = await startTestSite({
    'inside.test': () => ['127.0.0.2'],
    'mixed.test': () => ['93.184.216.34', '::1'],
  });
  const fetcher = createTestFetcher({
    egress: { allow: site.allow, deny: [] },
    dnsServers: [site.dns.address],
    extraCa: [site.ca],
    browserArgs: site.chromiumArgs,
    upstream: {
      proxy: new URL(main.url),
      named: new Map([
        ['eu', new URL(eu.url)],
        ['us', new URL(us.url)],
      ]),
      bypass: ['near.test'],
    },
  });
  t.after(async () => {
    await fetcher.close();
    await site.close();
  });
  const outcome = async (engine: EnginePreference, url: string, egress?: ProjectEgress): Promise<string> => {
    const request = { url: new URL(url), timeoutMs: 20_000, signal: new AbortController().signal };
    return fetcher.capture(engine, { ...request, ...(egress ? { egress } : {}) }).then(
      () => 'captured',
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
  };
  const authority = `127.0.0.1:${site.port}`;
  for (const engine of ENGINES) {
    for (const [name, project] of [
      ['main', undefined],
      ['eu', { allow: [], deny: ['denied.test'], proxy: 'eu' }],
      ['us', { allow: [], deny: ['denied.test'], proxy: 'us' }],
    ] as const) {
      assert.equal(await outcome(engine, `${site.named('site.test')}/static`, project), 'captured');
      assert.deepEqual(takeAll(), { [name]: [authority] }, `${engine} by ${name}`);
      const secure = `https://site.test:${site.httpsPort}/static`;
      assert.equal(await outcome(engine, secure, project), 'captured');
      assert.deepEqual(takeAll(), { [name]: [`127.0.0.1:${site.httpsPort}`] }, `${engine} by ${name}, HTTPS`);

      assert.equal(await outcome(engine, site.named('inside.test'), project), 'egress_denied');
      assert.equal(await outcome(engine, site.named('mixed.test'), project), 'egress_denied');
      assert.equal(await outcome(engine, 'http://site.test:22/', project), 'url_not_allowed');
      assert.equal(await outcome(engine, main.url, project), 'url_not_allowed');
      if (project) assert.equal(await outcome(engine, site.named('denied.test'), project), 'url_not_allowed');
      assert.deepEqual(takeAll(), {}, `${engine} by ${name}, refused`);

      const behind = `${site.origin}/redirect-to?to=${encodeURIComponent(`http://127.0.0.2:${site.port}/`)}`;
      assert.equal(await outcome(engine, behind, project), 'egress_denied');
      // An earlier connection may be reused, but no other target may be requested.
      for (const target of Object.values(takeAll()).flat()) assert.equal(target, authority);

      assert.equal(await outcome(engine, `${site.named('near.test')}/static`, project), 'captured');
      assert.deepEqual(takeAll(), {}, `${engine} by ${name}, without proxy`);
    }
    const direct = { allow: [], deny: [], proxy: 'direct' };
    assert.equal(await outcome(engine, `${site.named('site.test')}/static`, direct), 'captured');
    assert.deepEqual(takeAll(), {}, `${engine} direct`);
  }
});

async function keyOf(running: Running, projectId: string): Promise<Record<string, string>> {
  await running.store.projects.insert({ id: projectId, name: projectId, createdAt: new Date(), archivedAt: null });
  return { 'X-API-Key': await running.addKey({ projectId, kind: 'key_only' }) };
}

/** Starts a server that receives webhooks; `taken` waits for one by path. */
async function startReceiver(
  host: string,
): Promise<{ url: string; taken(path: string): Promise<void>; close(): void }> {
  const waiting = new Map<string, () => void>();
  const server = createServer((request, response) => {
    response.end();
    waiting.get(request.url ?? '')?.();
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    taken: (path) => new Promise<void>((resolve) => void waiting.set(path, resolve)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

// Checks: threat-upstream-proxy
test('HTTPS_PROXY is the default proxy; the proxy of a project also carries its robots.txt and webhook requests', async (t) => {
  const receiver = await startReceiver('127.0.0.2');
  const running = await startRunning({
    HTTPS_PROXY: main.url,
    NO_PROXY: '127.0.0.9',
    WINNOW_UPSTREAM_PROXIES: `eu=${eu.url}, us=${us.url}`,
    WINNOW_PROJECT_EGRESS: JSON.stringify({
      prj_eu: { proxy: 'eu', allow: ['127.0.0.2'] },
      prj_walled: { proxy: 'us', deny: ['127.0.0.1'] },
      prj_direct: { proxy: 'direct' },
    }),
  });
  t.after(async () => {
    await running.close();
    receiver.close();
  });
  const projects = {
    eu: await keyOf(running, 'prj_eu'),
    walled: await keyOf(running, 'prj_walled'),
    direct: await keyOf(running, 'prj_direct'),
    main: { 'X-API-Key': running.secrets.key_only },
  };
  const send = async (name: keyof typeof projects, path: string, body: object): Promise<string> => {
    const answer = await running.call(path, body, { as: 'none', headers: projects[name] });
    return answer.status === 200 ? 'ok' : answer.body.error.code;
  };
  const site = running.pages.url;
  const { host } = new URL(site);
  for (const engine of ENGINES) {
    const order = { url: `${site}/article`, options: { engine_preference: engine } };
    assert.equal(await send('main', '/v1/dom/dump', order), 'ok');
    assert.deepEqual(takeAll(), { main: [host] });
    assert.equal(await send('eu', '/v1/dom/dump', order), 'ok');
    assert.deepEqual(takeAll(), { eu: [host] });
    assert.equal(await send('direct', '/v1/dom/dump', order), 'ok');
    assert.equal(await send('walled', '/v1/dom/dump', order), 'url_not_allowed');
    assert.equal(await send('eu', '/v1/dom/dump', { ...order, url: 'http://127.0.0.3/' }), 'url_not_allowed');
    assert.deepEqual(takeAll(), {});
  }
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const batch = (path: string) => ({ urls: [`${site}/article`], webhook: { url: receiver.url + path, secret } });
  for (const name of ['main', 'direct', 'walled'] as const)
    assert.equal(await send(name, '/v1/batches', batch('/refused')), 'url_not_allowed', name);
  const taken = receiver.taken('/eu');
  assert.equal(await send('eu', '/v1/batches', batch('/eu')), 'ok');
  await taken;
  const { eu: targets = [], ...others } = takeAll();
  assert.deepEqual(others, {}, 'robots.txt and webhooks of the project leave through its own proxy');
  assert.deepEqual([...targets].toSorted(), [host, new URL(receiver.url).host].toSorted());
});
