import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import zlib from 'node:zlib';
import { createEgress } from '../egress/egress.ts';
import type { ProjectEgress } from '../domain/capture/capture-ports.ts';
import { RobotsTxt } from './robots.ts';

interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly location?: string;
  /** Encoding of the body, regardless of the request. */
  readonly encoding?: string;
}

const { signal } = new AbortController();

/** Starts a site that returns robots.txt answers by path and records requests. */
async function startSite(t: TestContext, answers: Readonly<Record<string, Answer>>, options = {}) {
  const requests: string[] = [];
  const accepted = new Set<string | undefined>();
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    accepted.add(request.headers['accept-encoding']?.toString());
    const { status, body = '', location, encoding } = answers[request.url ?? ''] ?? { status: 404 };
    if (location !== undefined) response.setHeader('location', location);
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const egress = createEgress({ rules: { allow: ['127.0.0.1'], deny: [] } });
  t.after(async () => {
    await egress.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const clock = { now: Date.UTC(2026, 0, 1) };
  const robots = new RobotsTxt({
    egress,
    userAgent: 'Winnow/1',
    agent: 'Winnow',
    now: () => clock.now,
    ...options,
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const refuse = (path: string, project?: ProjectEgress): Promise<string | undefined> =>
    robots.refusal(new URL(path, origin), signal, project);
  return { origin, requests, accepted, clock, refuse };
}

test('rules for our name take precedence over general rules, and are cached for an hour', async (t) => {
  const body = 'User-agent: *\nDisallow: /\n\nUser-agent: winnow\nDisallow: /private/\nAllow: /private/open$\n';
  const site = await startSite(t, { '/robots.txt': { status: 200, body } });
  assert.equal(await site.refuse('/a'), undefined);
  assert.equal(await site.refuse('/private/a'), 'the page is disallowed');
  assert.equal(await site.refuse('/private/open'), undefined);
  assert.equal(site.requests.length, 1);
  site.clock.now += 61 * 60 * 1000;
  await site.refuse('/a');
  assert.equal(site.requests.length, 2);
});

test('a missing file allows everything, and a server error refuses everything for a minute', async (t) => {
  const absent = await startSite(t, {});
  assert.equal(await absent.refuse('/a'), undefined);
  const failing = await startSite(t, { '/robots.txt': { status: 503 } });
  const unreadable = { code: 'robots_disallowed', retryable: true, message: /cannot be read \(status 503\)/ };
  await assert.rejects(failing.refuse('/a'), unreadable);
  await assert.rejects(failing.refuse('/b'), unreadable);
  assert.equal(failing.requests.length, 1);
  failing.clock.now += 61_000;
  await assert.rejects(failing.refuse('/b'), unreadable);
  assert.equal(failing.requests.length, 2);
});

test('five redirects are followed, and an endless chain counts as missing', async (t) => {
  const rules = { status: 200, body: 'User-agent: *\nDisallow: /no' };
  const moved = await startSite(t, { '/robots.txt': { status: 301, location: '/other.txt' }, '/other.txt': rules });
  assert.equal(await moved.refuse('/no'), 'the page is disallowed');
  const endless = await startSite(t, { '/robots.txt': { status: 302, location: '/robots.txt' } });
  assert.equal(await endless.refuse('/no'), undefined);
  assert.equal(endless.requests.length, 6);
});

test('robots.txt rules found through a redirect to another origin apply to the requested origin', async (t) => {
  const rules = { status: 200, body: 'User-agent: *\nDisallow: /private' };
  const other = await startSite(t, { '/robots.txt': rules });
  const site = await startSite(t, { '/robots.txt': { status: 301, location: `${other.origin}/robots.txt` } });
  assert.equal(await site.refuse('/private/1'), 'the page is disallowed');
  assert.equal(await site.refuse('/%70rivate/1'), 'the page is disallowed');
  assert.equal(await site.refuse('/a'), undefined);
  assert.deepEqual(other.requests, ['/robots.txt']);
});

// Checks: threat-robots
test('files evicted from a full cache are fetched again', async (t) => {
  const body = `User-agent: *\nDisallow: /no\n${'#'.repeat(1000)}`;
  const site = await startSite(t, { '/robots.txt': { status: 200, body } }, { maxBytes: 2000 });
  const project = { allow: [], deny: ['10.0.0.1'] };
  for (const egress of [undefined, project, undefined, undefined]) {
    assert.equal(await site.refuse('/no', egress), 'the page is disallowed');
  }
  assert.equal(site.requests.length, 3);
});

// Checks: threat-rule-scope
test("the project's own egress rules apply, and a file refused to one project stays available to others", async (t) => {
  const site = await startSite(t, { '/robots.txt': { status: 200, body: 'User-agent: *\nDisallow: /no' } });
  const walled = { allow: [], deny: ['127.0.0.1'] };
  const refused = { code: 'url_not_allowed', message: /robots\.txt: .*refused by the egress policy/ };
  await assert.rejects(site.refuse('/a', walled), refused);
  assert.equal(site.requests.length, 0);
  assert.equal(await site.refuse('/a'), undefined);
  await assert.rejects(site.refuse('/a', walled), refused);
  assert.equal(site.requests.length, 1);
});

test('a redirect to a refused target is reported without its URL', async (t) => {
  for (const location of ['http://10.1.2.3/robots.txt', 'ftp://example.com/robots.txt']) {
    const site = await startSite(t, { '/robots.txt': { status: 302, location } });
    const message = /\/robots\.txt: redirected to a refused target: /;
    await assert.rejects(site.refuse('/a'), { code: 'egress_denied', message });
  }
});

test('an unreachable site is reported with the error that a fetch would get', async (t) => {
  const site = await startSite(t, {});
  const deaf = createServer().listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const { port } = deaf.address() as AddressInfo;
  deaf.close();
  const cases = [
    [`http://127.0.0.1:${port}/`, 'connect_failed'],
    [site.origin.replace('http:', 'https:'), 'tls_failed'],
    ['http://no-such-host.invalid/', 'dns_failed'],
  ] as const;
  for (const [url, code] of cases) await assert.rejects(site.refuse(url), { code, message: /\/robots\.txt: / });
});

test('identity encoding is requested; other encodings are decoded, and an undecodable file refuses the whole site', async (t) => {
  const rules = 'User-agent: *\nDisallow: /no\n';
  const encoded = [
    ['gzip', zlib.gzipSync(rules)],
    ['X-GZIP', zlib.gzipSync(rules)],
    ['deflate', zlib.deflateSync(rules)],
    ['br', zlib.brotliCompressSync(rules)],
    ['identity', Buffer.from(rules)],
    // Only the first 512 KiB after decompression count.
    ['gzip', zlib.gzipSync(`${rules}${'#'.repeat(2 ** 25)}\nDisallow: /\n`)],
  ] as const;
  for (const [encoding, body] of encoded) {
    const site = await startSite(t, { '/robots.txt': { status: 200, body, encoding } });
    assert.equal(await site.refuse('/no'), 'the page is disallowed', encoding);
    assert.equal(await site.refuse('/a'), undefined, encoding);
    assert.deepEqual([...site.accepted], ['identity']);
  }
  const unreadable = [
    ['gzip', Buffer.from(rules)],
    ['gzip', zlib.gzipSync(rules).subarray(0, -12)],
    ['gzip', zlib.gzipSync(rules).subarray(0, 5)],
    ['gzip, br', zlib.gzipSync(rules)],
    ['secret', Buffer.from(rules)],
  ] as const;
  for (const [encoding, body] of unreadable) {
    const site = await startSite(t, { '/robots.txt': { status: 200, body, encoding } });
    assert.match((await site.refuse('/a')) ?? '', /cannot be read \(Content-Encoding: /, encoding);
  }
  for (const encoding of ['gzip', 'deflate', 'br']) {
    const empty = await startSite(t, { '/robots.txt': { status: 200, encoding } });
    assert.equal(await empty.refuse('/a'), undefined, encoding);
  }
});
