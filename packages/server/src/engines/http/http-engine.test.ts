import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { startCanary } from '../../../../../test/site/canary.ts';
import type { Canary } from '../../../../../test/site/canary.ts';
import { createCertificate } from '../../../../../test/site/certificate.ts';
import { MARK } from '../../../../../test/site/route.ts';
import { startTestSite } from '../../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../../test/site/start-test-site.ts';
import { CaptureError } from '../../domain/capture/capture-error.ts';
import type { AppError } from '../../domain/shared/errors.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import { createTestFetcher } from '../../composition/testing/test-fetcher.ts';
import type { EngineFetcher } from '../create-fetcher.ts';
import { assertFails } from '../testing/assert-fails.ts';

let site: TestSite;
let canary: Canary;
let fetcher: EngineFetcher;

before(async () => {
  canary = await startCanary();
  site = await startTestSite({ 'inside.test': () => ['127.0.0.2'], 'none.test': () => [] });
  fetcher = createTestFetcher({
    egress: { allow: site.allow, deny: [] },
    dnsServers: [site.dns.address],
    extraCa: [site.ca],
    maxPageBytes: 2_000_000,
  });
});

after(async () => {
  await fetcher.close();
  await site.close();
  await canary.close();
});

const capture = (url: string, timeoutMs = 15_000): Promise<Capture> =>
  fetcher.capture('http', { url: new URL(url), timeoutMs, signal: new AbortController().signal });
const get = (path: string, timeoutMs?: number): Promise<Capture> => capture(site.origin + path, timeoutMs);

void test('every content encoding is decoded', async () => {
  for (const path of [
    '/gzip',
    '/br',
    '/zstd',
    '/deflate',
    '/deflate-raw',
    '/gzip-br',
    '/gzip-members',
    '/zstd-frames',
  ]) {
    const { html, bodyBytes, transferBytes, partial } = await get(path);
    assert.ok(html.includes(`${MARK}: Grüße, 東京`), path);
    assert.equal(partial, false);
    assert.ok((transferBytes ?? 0) < (bodyBytes ?? 0), path);
  }
});

void test('encoding faults that browsers tolerate are tolerated, and so is markup that is not encoded as declared', async () => {
  const whole = (await get('/gzip')).html;
  const encodings = ['utf-8', 'none', 'binary', 'rot13'].map((name) => `/encoding-${name}`);
  for (const path of [
    ...encodings,
    '/gzip-trailing',
    '/gzip-wrong-checksum',
    '/gzip-wrong-length',
    '/gzip-undone',
    '/br-undone',
    '/br-gzip',
    '/deflate-gzip',
    '/gzip-zstd',
    '/gzip-deflate',
  ]) {
    const { html, partial } = await get(path);
    assert.deepEqual([html, partial], [whole, false], path);
  }
});

void test('a redirect that a page states is followed, unless it leads back or is late on a page with text', async () => {
  const stated = (content: string): string => `/states-refresh?content=${encodeURIComponent(content)}`;
  for (const path of ['/meta-refresh', '/meta-refresh-bare', '/header-refresh-late', stated('8; url=/static')]) {
    const { finalUrl, redirects, html } = await get(path);
    assert.deepEqual([finalUrl, html.includes(MARK)], [`${site.origin}/static`, true], path);
    assert.deepEqual(redirects, [{ url: site.origin + path, statusCode: 200 }], path);
  }
  const based = await get('/refresh-from-base');
  assert.equal(based.finalUrl, `${site.origin}/reports/static`);
  for (const path of [`${stated('4; url=/static')}&article`, stated('900; url=/static'), stated('5')])
    assert.equal((await get(path)).finalUrl, site.origin + path);
  const back = await get('/refresh-there');
  assert.deepEqual([back.finalUrl, back.redirects.length], [`${site.origin}/refresh-back`, 1]);
  await assertFails(get('/refresh-loop'), 'too_many_redirects', 'addresses without an end');
});

void test('a truncated compressed body yields its start, and the capture is partial', async () => {
  const whole = (await get('/gzip')).html;
  for (const path of ['/gzip-cut', '/br-cut', '/gzip-br-cut']) {
    const { html, partial } = await get(path);
    assert.ok(partial && whole.startsWith(html.replace(/\uFFFD$/, '')), `${path}: ${html.slice(0, 200)}`);
  }
  const { html, partial } = await get('/zstd-frames-cut');
  assert.ok(partial && html.startsWith(whole), html);
});

// Checks: threat-bomb
void test('bombs and large pages fail at the limit, and broken or unsupported encodings are rejected', async () => {
  for (const path of ['/bomb-gzip', '/bomb-br', '/bomb-zstd-frames', '/bomb-gzip-wrong-checksum', '/large'])
    await assertFails(get(path), 'response_too_large', path);
  for (const path of ['/not-gzip', '/encoding-compress']) await assertFails(get(path), 'unsupported_content', path);
});

// Checks: threat-encoding
void test('the character encoding is chosen by the HTML standard', async () => {
  const expected: [string, string, string][] = [
    ['/latin1-header', 'windows-1252', 'Grüße €'],
    ['/meta-charset', 'windows-1251', 'Привет'],
    ['/meta-charset-late', 'windows-1251', 'Привет'],
    ['/meta-charset-late-ascii', 'iso-2022-jp', '東京'],
    ['/meta-charset-in-body', 'windows-1252', 'Grüße'],
    ['/undeclared-utf8', 'utf-8', 'Grüße, 東京'],
    ['/undeclared-latin1', 'windows-1252', 'Grüße'],
    ['/utf16', 'utf-16le', 'Grüße, 東京'],
    ['/utf16be', 'utf-16be', 'Grüße, 東京'],
    ['/bom-against-header', 'utf-8', 'Grüße, 東京'],
    ['/no-such-charset', 'utf-8', 'Grüße'],
    ['/utf7', 'utf-8', '<p>+ADw-script+AD4- 1 +- 1</p>'],
    ['/wrong-charset', 'utf-8', 'Grüße'],
    ['/shift-jis', 'shift_jis', '東京'],
    ['/xhtml', 'utf-8', 'XHTML text'],
  ];
  for (const [path, charset, text] of expected) {
    const page = await get(path);
    assert.equal(page.charset, charset, path);
    assert.ok(page.html.includes(text), `${path}: ${page.html}`);
  }
});

void test('XHTML is converted to HTML syntax', async () => {
  const { html } = await get('/xhtml-empty-elements');
  for (const part of ['<a id="top"></a>', '<script src="/none.js"></script>', '<br/>1 &lt; 2'])
    assert.ok(html.includes(part), `${part}: ${html}`);
});

void test('only documents are accepted, and undeclared content is sniffed', async () => {
  assert.ok((await get('/no-type')).html.includes(MARK));
  for (const path of ['/json', '/text', '/pdf', '/image', '/download', '/no-type-binary']) {
    await assertFails(get(path), 'unsupported_content', path);
  }
});

void test('files served as HTML are rejected', async () => {
  for (const kind of ['pdf', 'gif', 'png', 'jpeg', 'zip']) {
    await assertFails(get(`/${kind}-as-html`), 'unsupported_content', kind);
  }
  assert.ok((await get('/text-about-files')).html.includes(MARK));
});

void test('redirects are followed and recorded, up to the limit', async () => {
  const relative = await get('/redirect-relative');
  assert.equal(relative.finalUrl, `${site.origin}/static?from=relative`);
  assert.deepEqual(relative.redirects, [{ url: `${site.origin}/redirect-relative`, statusCode: 301 }]);
  const chosen = await get('/choice');
  assert.equal(chosen.finalUrl, `${site.origin}/static?from=choice`);
  assert.deepEqual(chosen.redirects, [{ url: `${site.origin}/choice`, statusCode: 300 }]);
  assert.equal((await get('/redirect-chain?n=9')).redirects.length, 10);
  await assertFails(get('/redirect-chain?n=10'), 'too_many_redirects', 'chain');
  await assertFails(get('/redirect-loop'), 'too_many_redirects', 'loop');
  assert.equal((await get('/redirect-utf8')).finalUrl, `${site.origin}/static?q=%C3%BC`);
  assert.equal((await get('/redirect-latin1')).finalUrl, `${site.origin}/static?q=caf%E9`);
  const named = await capture(`${site.named('any.test')}/redirect-utf8-host?${site.port}`);
  assert.equal(named.finalUrl, `${site.named('xn--bcher-kva.test')}/static?q=1#%C3%BC`);
  const secure = await get(`/redirect-to?to=${encodeURIComponent(`${site.httpsOrigin}/static`)}`);
  assert.equal(secure.finalUrl, `${site.httpsOrigin}/static`);
});

void test('a response whose body is unused is aborted', { timeout: 30_000 }, async (t) => {
  const closed = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    response.on('close', () => closed.get(path)?.());
    const location = path === '/moved' ? '/image' : 'http://[';
    response.writeHead(path === '/image' ? 200 : 302, { location, 'content-type': 'image/png' });
    response.write('a body that never ends');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const own = createTestFetcher({ egress: { allow: [`127.0.0.1:${port}`], deny: [] } });
  t.after(async () => {
    await own.close();
    server.closeAllConnections();
    server.close();
  });
  for (const [path, code] of [
    ['/redirect', 'connect_failed'],
    ['/moved', 'unsupported_content'],
    ['/image', 'unsupported_content'],
  ] as const) {
    const isClosed = new Promise<void>((resolve) => closed.set(path, resolve));
    const request = { url: new URL(path, `http://127.0.0.1:${port}`), timeoutMs: 15_000 };
    await assertFails(own.capture('http', { ...request, signal: new AbortController().signal }), code, path);
    await isClosed;
  }
});

void test('cookies persist through the redirects of one capture', async () => {
  assert.ok((await get('/cookie-redirect')).html.includes(MARK));
});

void test('statuses other than 2xx are errors that keep the page', async () => {
  for (const [path, status] of [
    ['/404', 404],
    ['/403', 403],
    ['/429', 429],
    ['/500', 500],
  ] as const) {
    const error = await assertFails(get(path), 'http_status_not_ok', path);
    assert.equal(error.upstreamStatusCode, status);
    assert.ok(error instanceof CaptureError && error.capture?.html.includes('<p>') !== undefined, path);
  }
  assert.equal((await assertFails(get('/404-json'), 'http_status_not_ok', '/404-json')).upstreamStatusCode, 404);
});

void test('block pages are recognised with any status, and pages about captchas are not', async () => {
  for (const path of ['/block', '/block-200']) {
    const error = await assertFails(get(path), 'fetch_blocked', path);
    assert.ok(error instanceof CaptureError && error.capture, path);
  }
  assert.equal((await get('/about-captchas')).statusCode, 200);
});

void test('a broken connection is connect_failed, a slow one fetch_timeout', async () => {
  for (const path of ['/reset', '/too-short', '/not-http']) await assertFails(get(path), 'connect_failed', path);
  for (const path of ['/drip', '/no-answer']) await assertFails(get(path, 300), 'fetch_timeout', path);
});

/** Answers every connection with raw bytes, and closes it. */
async function answerRaw(t: TestContext, answers: (number: number) => readonly (string | Buffer)[]): Promise<string> {
  let connections = 0;
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      for (const part of answers((connections += 1))) socket.write(part);
      socket.end();
    });
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Reaches every port of this machine. */
function openLocal(t: TestContext): (url: string) => Promise<Capture> {
  const local = createTestFetcher({ egress: { allow: ['127.0.0.1'], deny: [] } });
  t.after(() => local.close());
  return (url) => local.capture('http', { url: new URL(url), timeoutMs: 15_000, signal: new AbortController().signal });
}

const WHOLE = Buffer.from(`<!doctype html><title>Pier</title><p>${'The pier is open. '.repeat(40)}</p>`);
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const chunkOf = (bytes: Buffer): string => `${bytes.length.toString(16)}\r\n${bytes.toString()}\r\n`;

void test('a page whose connection breaks off is partial, unless its compression says that it is whole', async (t) => {
  const fetchLocal = openLocal(t);
  const packed = gzipSync(WHOLE);
  const cases: [name: string, parts: (string | Buffer)[], partial: boolean][] = [
    ['too large a length', [`${HEAD}Content-Length: ${WHOLE.length + 500}\r\n\r\n`, WHOLE], true],
    ['no last chunk', [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunkOf(WHOLE)], true],
    ['a chunk that never fills', [`${HEAD}Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n`, WHOLE], true],
    [
      'the length before compression',
      [`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${WHOLE.length}\r\n\r\n`, packed],
      false,
    ],
    ['compressed without a word', [`${HEAD}Content-Length: ${packed.length}\r\n\r\n`, packed], false],
  ];
  for (const [name, parts, partial] of cases) {
    const page = await fetchLocal(await answerRaw(t, () => parts));
    assert.deepEqual([page.html, page.partial], [WHOLE.toString(), partial], name);
  }
  const hardlyBegun = await answerRaw(t, () => [`${HEAD}Content-Length: 50000\r\n\r\n`, WHOLE]);
  await assertFails(fetchLocal(hardlyBegun), 'connect_failed', 'hardly begun');
});

void test('a connection that closes without an answer is tried once more', async (t) => {
  const fetchLocal = openLocal(t);
  const whole = [`${HEAD}Content-Length: ${WHOLE.length}\r\n\r\n`, WHOLE];
  const page = await fetchLocal(await answerRaw(t, (number) => (number === 1 ? [] : whole)));
  assert.equal(page.html, WHOLE.toString());
  const closed = await answerRaw(t, (number) => (number <= 2 ? [] : whole));
  await assertFails(fetchLocal(closed), 'connect_failed', 'closed twice');
});

void test('the capture of a hanging page fails before the deadline', async () => {
  const timeoutMs = 4000;
  const first = (preference: 'http' | 'auto'): Promise<string> => {
    // Timers fire in order, even late on a busy machine.
    const deadline = sleep(timeoutMs, 'the deadline came first');
    const hanging = { url: new URL(`${site.origin}/no-answer`), timeoutMs, signal: new AbortController().signal };
    const answer = fetcher.capture(preference, hanging).then(
      () => 'a page',
      (error: AppError) => error.code,
    );
    return Promise.race([answer, deadline]);
  };
  assert.deepEqual(await Promise.all([first('http'), first('auto')]), ['fetch_timeout', 'fetch_timeout']);
});

// Checks: threat-certificate
void test('HTTPS is verified against the name', async () => {
  const secure = `https://site.test:${site.httpsPort}/static`;
  assert.ok((await capture(secure)).html.includes(MARK));
  await assertFails(capture(`https://other.invalid.test:${site.httpsPort}/static`), 'tls_failed', 'wrong name');
  await assertFails(capture(`https://127.0.0.1:${site.port}/static`), 'tls_failed', 'no TLS there');
  const distrustful = createTestFetcher({ egress: { allow: site.allow, deny: [] }, dnsServers: [site.dns.address] });
  const url = new URL(secure);
  await assertFails(
    distrustful.capture('http', { url, timeoutMs: 5000, signal: new AbortController().signal }),
    'tls_failed',
    'unknown authority',
  );
  await distrustful.close();
});

// Checks: threat-broken-http
void test('bytes beyond the declared length are ignored', async () => {
  const { html, bodyBytes } = await get('/too-long');
  assert.deepEqual([html, bodyBytes], ['<!DOCTYPE html><html', 20]);
});

// Checks: threat-certificate
void test('an expired certificate and a broken handshake are tls_failed, and a stalled one times out', async (t) => {
  const expired = await createCertificate(['site.test'], new Date(Date.now() - 86_400_000));
  const breakOff = (socket: Socket): void => void socket.on('error', () => {}).once('data', () => socket.destroy());
  const stall = (socket: Socket): void => {
    socket.resume().on('error', () => {});
    t.after(() => socket.destroy());
  };
  const servers = [
    createTlsServer({ key: expired.key, cert: expired.cert }).on('tlsClientError', () => {}),
    createSocketServer(breakOff),
    createSocketServer(stall),
  ];
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => void server.close());
    ports.push((server.address() as AddressInfo).port);
  }
  // Its authority is trusted, so only the age is wrong.
  const trusting = createTestFetcher({ egress: { allow: ['127.0.0.1'], deny: [] }, extraCa: [expired.ca] });
  t.after(() => trusting.close());
  const connect = async (index: number, timeoutMs: number): Promise<Capture> => {
    const url = new URL(`https://127.0.0.1:${ports[index]}/`);
    return trusting.capture('http', { url, timeoutMs, signal: new AbortController().signal });
  };
  await assert.rejects(connect(0, 15_000), { code: 'tls_failed', message: /CERT_HAS_EXPIRED/ });
  await assertFails(connect(1, 15_000), 'tls_failed', 'breaks off');
  const stalled = once(servers[2]!, 'connection') as Promise<[Socket]>;
  await assertFails(connect(2, 2000), 'fetch_timeout', 'stalls');
  const [socket] = await stalled;
  const ended = performance.now();
  if (!socket.closed) await once(socket, 'close');
  // The handshake alone may take ten seconds.
  assert.ok(performance.now() - ended < 5000, 'the handshake ends with its request');
});

void test('names are resolved by the given name server', async () => {
  assert.ok((await capture(`${site.named('any.test')}/static`)).html.includes(MARK));
  await assertFails(capture(`${site.named('none.test')}/static`), 'dns_failed', 'no address');
});

void test('refused targets are distinguished (written, resolved, redirected) and never connected to', async () => {
  const port = canary.port;
  await assertFails(capture(`http://127.0.0.1:${port}/`), 'url_not_allowed', 'written');
  await assertFails(capture(`http://inside.test:${port}/`), 'egress_denied', 'resolved');
  for (const target of [
    `http://127.0.0.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://inside.test:${port}/`,
    'file:///etc/passwd',
    'http://u:p@site.test/',
  ]) {
    await assertFails(get(`/redirect-to?to=${encodeURIComponent(target)}`), 'egress_denied', target);
  }
  assert.deepEqual(canary.visits, []);
});

void test('the rules of a project add to those of the deployment', async () => {
  const url = new URL(`http://127.0.0.1:${canary.port}/`);
  const request = { url, timeoutMs: 5000, signal: new AbortController().signal };
  const own = { allow: [`127.0.0.1:${canary.port}`], deny: [`127.0.0.1:${site.port}`] };
  await assertFails(
    fetcher.capture('http', { ...request, url: new URL(`${site.origin}/static`), egress: own }),
    'url_not_allowed',
    'denied',
  );
  assert.equal(canary.visits.length, 0);
  // An empty document; only the visit matters.
  await fetcher.capture('http', { ...request, egress: own });
  assert.equal(canary.visits.length, 1);
});

void test('a caller that disconnects ends the capture at once', async () => {
  const caller = new AbortController();
  const work = fetcher.capture('http', {
    url: new URL(`${site.origin}/no-answer`),
    timeoutMs: 30_000,
    signal: caller.signal,
  });
  setTimeout(() => caller.abort(), 50);
  await assertFails(work, 'overloaded', 'aborted');
});

void test('requests look like those of a browser and identify the service', async () => {
  const { html } = await get('/headers');
  assert.match(html, /user-agent: Mozilla\/5\.0 .* Winnow\/\d/);
  assert.match(html, /accept-encoding: gzip, deflate, br, zstd/);
  assert.match(html, /sec-fetch-dest: document/);
});

// Checks: threat-bomb
void test('a frame whose document is too long in its attribute is left out', async (t) => {
  const server = createServer(({ url = '' }, response) => {
    const count = Number(url.slice(1));
    response.setHeader('content-type', 'text/html');
    response.end(url.startsWith('/page') ? `<iframe src="/${url.slice(5)}"></iframe>` : `<p>${'&'.repeat(count)}</p>`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const local = createTestFetcher({ egress: { allow: ['127.0.0.1'], deny: [] }, maxPageBytes: 100_000 });
  t.after(async () => {
    await local.close();
    server.close();
  });
  const read = async (count: number): Promise<string> => {
    const url = new URL(`http://127.0.0.1:${port}/page${count}`);
    return (await local.capture('http', { url, timeoutMs: 15_000, signal: new AbortController().signal })).html;
  };
  assert.equal(await read(10_000), `<iframe srcdoc="<p>${'&amp;'.repeat(10_000)}</p>" src="/10000"></iframe>`);
  assert.equal(await read(50_000), '<iframe src="/50000"></iframe>');
});
