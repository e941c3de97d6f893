import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import zlib from 'node:zlib';
import { createEgress } from '../egress/egress.ts';
import type { ProjectEgress } from '../domain/capture/capture-ports.ts';
import { RobotsTxt, RobotsGroup } from './robots.ts';

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

test('the delay between two requests is that of our group, and none without a number', () => {
  const delay = (text: string): number => new RobotsGroup(text, 'Winnow').delayMs;
  assert.equal(delay('User-agent: *\nCrawl-delay: 2.5 # seconds\nDisallow: /x'), 2500);
  assert.equal(delay('User-agent: *\nCrawl-delay: 20\n\nUser-agent: winnow\nDisallow: /x'), 0);
  assert.equal(delay('User-agent: *\nDisallow: /x\nUser-agent: Winnow\nCrawl-delay: 3'), 3000);
  assert.equal(delay('User-agent: *\nCrawl-delay: soon'), 0);
  assert.equal(delay('User-agent: *\nCrawl-delay: 10000000000'), 1e13);
  assert.equal(delay(`User-agent: *\nCrawl-delay: ${'9'.repeat(1000)}`), Infinity);
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

/** The reader truncates longer files. */
const LONGEST = 512 * 1024;

const isRefused = (rules: string, path: string): boolean =>
  new RobotsGroup(`User-agent: *\n${rules}`, 'Winnow').refusal(new URL(path, 'https://a.example')) !== undefined;

test('the longest rule wins, or the allowing rule of two equal ones', () => {
  const rules =
    'Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d\nDisallow: /d\nAllow: /e/\nDisallow: /*/x$\nAllow: /f\nDisallow: /f$';
  for (const path of ['/a', '/ab', '/a/b/c', '/e/x', '/f']) assert.equal(isRefused(rules, path), true, path);
  for (const path of ['/', '/b', '/a/b', '/a/b/d', '/d', '/e/xx', '/e/x?y', '/fa'])
    assert.equal(isRefused(rules, path), false, path);
  assert.equal(isRefused('Disallow:\nAllow: /a', '/b'), false);
});

test('wildcards match any characters, $ the end of the path', () => {
  const cases: readonly (readonly [pattern: string, refused: readonly string[], allowed: readonly string[]])[] = [
    ['/*.gif$', ['/a.gif', '/a.gif.gif'], ['/a.gif?b', '/gif']],
    ['/a*b*c', ['/abc', '/axbbxcx', '/abbc'], ['/acb', '/ab', '/xabc']],
    ['/a*b$', ['/ab', '/abb', '/axbab'], ['/a', '/abx']],
    ['/ab*ab$', ['/abab', '/abxab'], ['/ab', '/abb']],
    ['*needle-long-enough*end$', ['/xneedle-long-enoughend'], ['/needle-long-enough', '/needle-long-enoughen']],
    ['/*aabaabaac', ['/aabaabaabaac', '/xaabaabaac'], ['/aabaabaabaab']],
    ['/a***$', ['/a', '/ab'], ['/b']],
    ['/price$list', ['/price$list'], ['/price']],
    ['/a$', ['/a'], ['/a$', '/ab']],
    ['/a%24', ['/a$', '/a%24b'], ['/a']],
    ['/a%2A', ['/a*', '/a%2a'], ['/ab']],
  ];
  for (const [pattern, refused, allowed] of cases) {
    for (const path of refused) assert.equal(isRefused(`Disallow: ${pattern}`, path), true, `${pattern} ${path}`);
    for (const path of allowed) assert.equal(isRefused(`Disallow: ${pattern}`, path), false, `${pattern} ${path}`);
  }
});

test('paths and rules are compared in one form of percent-encoding', () => {
  const same: readonly (readonly [pattern: string, path: string])[] = [
    ['/private', '/%70rivate/1'],
    ['/%70rivate', '/private/1'],
    ['/ツ', '/%E3%83%84'],
    ['/%e3%83%84', '/ツ'],
    ['/a b|c', '/a%20b%7cc'],
    ['/~a', '/%7Ea'],
    ['/*?q="x"', '/y?q=%22x%22'],
  ];
  for (const [pattern, path] of same) assert.equal(isRefused(`Disallow: ${pattern}`, path), true, `${pattern} ${path}`);
  assert.equal(isRefused('Disallow: /a/b', '/a%2Fb'), false, 'a reserved character differs from its escape');
  assert.equal(isRefused('Disallow: /%', '/%'), true);
});

test('groups that name our robot are merged, and unknown lines do not end a group', () => {
  const text = [
    '\uFEFFUser-Agent: winnow/2.0 # ours',
    'Crawl-delay: 5',
    '',
    'User-agent: Other',
    'Disallow: /a # with that',
    'Sitemap: https://a.example/map.xml',
    'Disallow: /b\r\nUser-agent: *',
    'Disallow: /c',
    'User-agent: Winnow',
    '  disallow : /d',
  ].join('\n');
  const refused = (agent: string): string[] =>
    ['/a', '/b', '/c', '/d'].filter(
      (path) => new RobotsGroup(text, agent).refusal(new URL(path, 'https://a.example')) !== undefined,
    );
  assert.deepEqual(refused('Winnow'), ['/a', '/b', '/d']);
  assert.deepEqual(refused('OTHER'), ['/a', '/b']);
  assert.deepEqual(refused('Third'), ['/c']);
});

// Checks: threat-robots
test('a malicious robots.txt takes bounded time to parse and match', () => {
  const fill = (line: string): string => line.repeat(LONGEST / line.length);
  const long = 'a'.repeat(7000);
  const files: readonly (readonly [rules: string, path: string])[] = [
    [`Disallow: /${'*'.repeat(LONGEST)}x`, `/${long}`],
    [`Disallow: /${'*a'.repeat(LONGEST / 2)}x`, `/${long}`],
    [`Disallow: *${'a'.repeat(1700)}b\n`.repeat(140), `/${long}`],
    [`Disallow: *${'a'.repeat(1000)}b${'a'.repeat(1000)}\n`.repeat(3), `/${long}`],
    [`Disallow: ${'*aab'.repeat(400)}\n`.repeat(140), `/${'aaa'.repeat(2300)}`],
    [`Disallow: /${'$'.repeat(LONGEST)}`, `/${'$'.repeat(7000)}`],
    [fill('Disallow:*ab\n'), `/${long}`],
    [fill('Disallow:/b\n'), `/${long}`],
    [fill('User-agent:x\n').slice(0, LONGEST / 2) + fill('Disallow:/b\n').slice(0, LONGEST / 2), '/a'],
    [
      Array.from({ length: 15_000 }, (_, robot) => `User-agent:${robot}\n`).join('') + 'Disallow:/b\n'.repeat(20_000),
      '/a',
    ],
  ];
  const start = process.threadCpuUsage();
  for (const [rules, path] of files) isRefused(rules, path);
  assert.ok(process.threadCpuUsage(start).user < 10_000_000, 'bounded time');
});

// Checks: threat-robots
test('only URLs with rules too expensive to match are refused', () => {
  const wildcards = 'Disallow: /*?session=\n'.repeat(500);
  assert.equal(isRefused(wildcards, '/a'), false);
  assert.equal(isRefused(wildcards, `/${'a'.repeat(7000)}`), true);
  assert.equal(isRefused('Disallow: /b\n'.repeat(10_000), '/a'), false);
  assert.equal(isRefused('Disallow: /b\n'.repeat(10_001), '/a'), true);
});
