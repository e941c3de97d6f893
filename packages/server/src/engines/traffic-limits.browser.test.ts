/** Pages that send requests or bytes without end, over HTTPS, where the browser proxy sees only bytes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCertificate } from '../../../../test/site/certificate.ts';
import { createTestFetcher } from '../composition/testing/test-fetcher.ts';
import { TRAFFIC_LIMITS } from '../egress/browser-proxy.ts';
import type { TrafficLimits } from '../egress/browser-proxy.ts';
import type { Capture } from '../domain/capture/capture-ports.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/requests': 'await Promise.all(Array.from({ length: 400 }, (_, i) => fetch("/one/" + i).catch(() => {})))',
  '/upload':
    'for (let i = 0; i < 20; i++) await fetch("/take", { method: "POST", body: "x".repeat(1e6) }).catch(() => {})',
  '/beacons':
    'for (let i = 0; i < 50; i++) { navigator.sendBeacon("/take", "x".repeat(60000)); await new Promise((resolve) => setTimeout(resolve, 20)); }',
};

let server: https.Server;
let spki: string;
const seen = { requests: 0, bytes: 0 };
let answered = Promise.resolve();

before(async () => {
  const certificate = await createCertificate(['localhost']);
  spki = certificate.spki;
  server = https.createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    seen.requests += 1;
    request.on('data', (chunk: Buffer) => (seen.bytes += chunk.length));
    const script = PAGES[request.url ?? ''];
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const run = `(async () => { ${script} })().finally(() => document.body.append(Object.assign(document.createElement("p"), { id: "sent" })))`;
    request.on('end', () => {
      if (script !== undefined) response.end(`<p>The page itself.</p><script>${run}</script>`);
      // One by one: the browser tells of its requests late on a busy machine.
      else answered = answered.then(() => sleep(10)).then(() => void response.end('ok'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => {
  server.closeAllConnections();
  server.close();
});

async function capture(path: string, traffic: Partial<TrafficLimits>): Promise<Capture> {
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetcher = createTestFetcher({
    egress: { allow: [target], deny: [] },
    browserArgs: [`--ignore-certificate-errors-spki-list=${spki}`],
    traffic: { ...TRAFFIC_LIMITS, ...traffic },
  });
  seen.requests = seen.bytes = 0;
  try {
    const url = new URL(`https://${target}${path}`);
    return await fetcher.capture('stable', {
      url,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      options: { wait_for: '#sent' },
    });
  } finally {
    await fetcher.close();
  }
}

for (const [path, traffic, reason] of [
  ['/requests', { requests: 50 }, 'the page sends more than 50 requests; further ones are refused'],
  ['/upload', { sentBytes: 3_000_000 }, /^the page sends more than .*; further ones are refused$/],
  ['/beacons', { sentBytes: 300_000 }, /^the page sends more than .*; further ones are refused$/],
] as const) {
  // Checks: threat-traffic
  void test(`a page that sends too much (${path}) is captured, and the trace says what was refused`, async () => {
    const page = await capture(path, traffic);
    assert.ok(page.html.includes('The page itself.'), page.html);
    const reasons = page.blockedRequests.map((blocked) => blocked.reason);
    assert.ok(
      reasons.some((one) => (typeof reason === 'string' ? one === reason : reason.test(one))),
      reasons.join('\n'),
    );
    assert.ok(seen.requests < 300 && seen.bytes < 6_000_000, JSON.stringify(seen));
  });
}
