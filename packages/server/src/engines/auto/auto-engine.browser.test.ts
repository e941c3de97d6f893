import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createCertificate } from '../../../../../test/site/certificate.ts';
import { ARTICLE, MARK } from '../../../../../test/site/route.ts';
import { startTestSite } from '../../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../../test/site/start-test-site.ts';
import { CaptureError } from '../../domain/capture/capture-error.ts';
import type { Capture, CaptureJudge, DocumentConverter } from '../../domain/capture/capture-ports.ts';
import { shapeKeyOf } from '../../domain/capture/check-target.ts';
import type { StageBudget } from '../../domain/shared/ports.ts';
import { createTestFetcher } from '../../composition/testing/test-fetcher.ts';
import type { TestFetcherOptions } from '../../composition/testing/test-fetcher.ts';
import type { EngineFetcher } from '../create-fetcher.ts';
import { failureOf } from '../testing/assert-fails.ts';
import { createHostMemory } from './host-memory.ts';

let site: TestSite;
let fetcher: EngineFetcher;

const open = (options: TestFetcherOptions = {}): EngineFetcher =>
  createTestFetcher({ egress: { allow: site.allow, deny: [] }, dnsServers: [site.dns.address], ...options });

before(async () => {
  site = await startTestSite();
  fetcher = open();
});

after(async () => {
  await fetcher.close();
  await site.close();
});

/** Each page has its own host, because hosts are remembered. */
const get = (
  path: string,
  host = `${path.replace(/\W/g, '')}.test`,
  one = fetcher,
  judge?: CaptureJudge,
): Promise<Capture> =>
  one.capture('auto', {
    url: new URL(site.named(host) + path),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    judge,
  });

const outcomes = ({ attempts }: Pick<Capture, 'attempts'>): string[] =>
  attempts.map(({ engine, outcome }) => `${engine} ${outcome}`);

const failure = async (work: Promise<Capture>): Promise<CaptureError> => {
  const error = await failureOf(work, 'auto');
  assert.ok(error instanceof CaptureError, String(error));
  return error;
};

void test('a plain page needs no browser', async () => {
  const page = await get('/static');
  assert.equal(page.engine, 'http');
  assert.deepEqual(outcomes(page), ['http captured']);
  assert.equal(fetcher.stats().local.started, 0);
});

void test('an unrendered app shell is rendered, with the reason', async () => {
  const page = await get('/client');
  assert.equal(page.engine, 'vendor_lite');
  assert.ok(page.html.includes(MARK));
  assert.deepEqual(outcomes(page), ['http rejected', 'vendor_lite captured']);
  assert.match(page.attempts[0]?.reason ?? '', /unrendered shell/);
});

void test('a page that needs a browser sends no other shape of its host to one, and its own shape only while it must', async () => {
  const memory = createHostMemory();
  const remembering = open({ memory });
  const host = 'mostly-plain.test';
  const url = new URL(`${site.named(host)}/client`);
  try {
    await get('/client', host, remembering);
    assert.equal(await memory.recall(shapeKeyOf(url)), 'vendor_lite');
    for (const path of ['/about-captchas', '/static?from=1', '/redirect-to?to=/static'])
      assert.deepEqual(outcomes(await get(path, host, remembering)), ['http captured'], path);
    const plain = await get('/static', host, remembering);
    assert.equal(plain.engine, 'http', 'plain HTTP runs beside the browser, and is enough');
    assert.equal(await memory.recall(shapeKeyOf(url)), 'http');
    assert.deepEqual(outcomes(await get('/static', host, remembering)), ['http captured']);
  } finally {
    await remembering.close();
  }
});

void test('where a browser found more, it starts beside plain HTTP', async () => {
  const memory = createHostMemory();
  const remembering = open({ memory });
  const url = new URL(`${site.named('apps.test')}/client`);
  const rendered = Promise.withResolvers<void>();
  const judge: CaptureJudge = async ({ engine }) => {
    if (engine === 'http') await rendered.promise;
    else rendered.resolve();
    return { sufficient: engine !== 'http', reason: 'it waited for the browser' };
  };
  try {
    await get('/client', 'apps.test', remembering);
    // Alone, plain HTTP would have six minutes.
    const request = { url, timeoutMs: 600_000, signal: new AbortController().signal, judge };
    assert.equal((await remembering.capture('auto', request)).engine, 'vendor_lite');
    assert.equal(await memory.recall(shapeKeyOf(url)), 'vendor_lite');
  } finally {
    await remembering.close();
  }
});

void test('a shape is forgotten at once when the browser found nothing that plain HTTP lacked', async () => {
  const memory = createHostMemory();
  const remembering = open({ memory });
  const url = new URL(`${site.named('same.test')}/static`);
  const plainJudged = Promise.withResolvers<void>();
  const judge: CaptureJudge = async ({ engine }) => {
    // Plain HTTP is first, so that both are compared.
    if (engine === 'http') plainJudged.resolve();
    else await plainJudged.promise;
    return { sufficient: engine !== 'http', reason: `judged ${engine}` };
  };
  try {
    await memory.remember(shapeKeyOf(url), 'vendor_lite');
    const { engine } = await get('/static', 'same.test', remembering, judge);
    assert.equal(engine, 'vendor_lite');
    assert.equal(await memory.recall(shapeKeyOf(url)), 'http');
  } finally {
    await remembering.close();
  }
});

void test('a refresh in the markup or the headers is followed without a browser', async () => {
  for (const path of ['/meta-refresh', '/meta-refresh-bare', '/header-refresh', '/header-refresh-late']) {
    const page = await get(path);
    assert.deepEqual([page.engine, new URL(page.finalUrl).pathname], ['http', '/static'], path);
  }
});

void test('responses that block the plain client are retried with a browser', async () => {
  const page = await get('/scripts-only');
  assert.ok(page.html.includes(MARK));
  assert.match(outcomes(page)[0] ?? '', /http failed/);
  assert.equal(page.attempts[0]?.errorCode, 'fetch_blocked');
});

void test('responses that the plain client cannot read are retried with a browser', async () => {
  const page = await get('/spaced-chunk');
  assert.ok(page.html.includes(MARK));
  assert.deepEqual(outcomes(page), ['http failed', 'vendor_lite captured']);
  for (const [path, code] of [
    ['/not-gzip', 'unsupported_content'],
    ['/equal-lengths?more=1', 'connect_failed'],
  ] as const) {
    const error = await failure(get(path));
    assert.deepEqual([error.code, outcomes(error).slice(0, 2)], [code, ['http failed', 'vendor_lite failed']], path);
  }
});

void test('a head with a slip that browsers forgive is read by every engine, and unequal lengths by none', async () => {
  const signal = new AbortController().signal;
  for (const path of [
    '/bare-line-feeds',
    '/two-lengths',
    '/equal-lengths',
    '/equal-lengths?continue',
    '/continue-first',
    '/odd-head',
    '/odd-head?chunked',
    '/odd-head?chunked&later',
  ]) {
    assert.deepEqual(outcomes(await get(path)), ['http captured'], path);
    for (const engine of ['http', 'vendor_dcl'] as const) {
      // Twice, so that a connection may be used again.
      for (let times = 0; times < 2; times += 1) {
        const url = new URL(site.named('lengths.test') + path);
        const page = await fetcher.capture(engine, { url, timeoutMs: 20_000, signal });
        assert.ok(page.html.includes(MARK) && !page.partial, `${engine} ${path}`);
      }
    }
  }
  const error = await failure(get('/equal-lengths?more=1'));
  assert.equal(error.code, 'connect_failed');
});

void test('a browser is tried where the chain of certificates is incomplete, and what it refuses is tls_failed', async () => {
  const url = new URL(`https://site.test:${site.httpsPort}/static`);
  const request = { url, timeoutMs: 20_000, signal: new AbortController().signal };
  const accepting = open({ browserArgs: site.chromiumArgs });
  try {
    const page = await accepting.capture('auto', request);
    assert.deepEqual(outcomes(page), ['http failed', 'vendor_lite captured']);
    assert.equal(page.attempts[0]?.errorCode, 'tls_failed');
  } finally {
    await accepting.close();
  }
  const error = await failure(fetcher.capture('auto', request));
  assert.deepEqual([error.code, outcomes(error)], ['tls_failed', ['http failed', 'vendor_lite failed']]);
  assert.match(error.message, /no secure connection/);
});

void test('a server that speaks only HTTP/2 is read by a browser, and a certificate of another name by none', async () => {
  const certificate = await createCertificate(['site.test']);
  const server = createSecureServer({ ...certificate, allowHTTP1: false });
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html; charset=utf-8' });
    stream.end(`<!doctype html><title>Two</title>${ARTICLE}<p>${MARK}</p>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reading = open({
    egress: { allow: [`127.0.0.1:${port}`, `127.0.0.1:${site.httpsPort}`], deny: [] },
    extraCa: [certificate.ca, site.ca],
    browserArgs: [`--ignore-certificate-errors-spki-list=${certificate.spki}`],
  });
  const capture = (address: string): Promise<Capture> =>
    reading.capture('auto', { url: new URL(address), timeoutMs: 20_000, signal: new AbortController().signal });
  try {
    const page = await capture(`https://site.test:${port}/`);
    assert.deepEqual([outcomes(page), page.protocol], [['http failed', 'vendor_lite captured'], 'h2']);
    assert.ok(page.html.includes(MARK));
    const error = await failure(capture(`https://a.other.test:${site.httpsPort}/static`));
    assert.deepEqual([error.code, outcomes(error)], ['tls_failed', ['http failed']]);
  } finally {
    await reading.close();
    server.close();
  }
});

void test('a page blocked in every engine fails with all attempts listed', async () => {
  const error = await failure(get('/block'));
  assert.equal(error.code, 'fetch_blocked');
  assert.ok(error.capture);
  assert.deepEqual(outcomes(error), ['http failed', 'vendor_lite failed', 'stable failed']);
});

void test('failures that no engine can repair are not retried', async () => {
  for (const [path, code] of [
    ['/404', 'http_status_not_ok'],
    ['/json', 'unsupported_content'],
    ['/not-http', 'connect_failed'],
    ['/too-short', 'connect_failed'],
    ['/redirect-loop', 'too_many_redirects'],
  ] as const) {
    const error = await failure(get(path));
    assert.equal(error.code, code);
    assert.deepEqual(outcomes(error), ['http failed'], path);
  }
});

void test('without a browser the plain response is returned', async () => {
  const bare = open({ browserExecutables: ['/no/such/chromium'] });
  const page = await get('/client', 'bare.test', bare);
  assert.equal(page.engine, 'http');
  assert.deepEqual(outcomes(page), ['http rejected', 'vendor_lite failed']);
  assert.equal((await failure(get('/block', 'bare.test', bare))).code, 'fetch_blocked');
  await bare.close();
});

void test('a slow plain request goes on beside the browser, and the first sufficient page is the answer', async () => {
  const path = '/slow-for-plain?ms=9000';
  const page = await fetcher.capture('auto', {
    url: new URL(site.named('slow-first.test') + path),
    timeoutMs: 14_000,
    signal: new AbortController().signal,
  });
  assert.ok(page.html.includes(MARK));
  assert.equal(page.engine, 'http', outcomes(page).join());
  assert.deepEqual(outcomes(page)[0], 'http captured');
});

void test('a deployment without browsers gives plain HTTP all the time', async () => {
  const bare = open({ browserExecutables: [] });
  try {
    const signal = new AbortController().signal;
    const url = new URL(`${site.named('slow-bare.test')}/slow-for-plain?ms=5000`);
    const page = await bare.capture('auto', { url, timeoutMs: 8000, signal });
    assert.deepEqual(outcomes(page), ['http captured']);
    assert.deepEqual(outcomes(await get('/client', 'shell-bare.test', bare)), ['http rejected']);
  } finally {
    await bare.close();
  }
});

void test('without a browser, plain HTTP reads the frames of a page that shows nothing else', async () => {
  const bare = open({ browserExecutables: [] });
  try {
    const src = encodeURIComponent(`${site.named('other.test')}/static`);
    for (const engine of ['auto', 'http'] as const) {
      const url = new URL(`${site.named('frames.test')}/foreign-frame?src=${src}`);
      const page = await bare.capture(engine, { url, timeoutMs: 20_000, signal: new AbortController().signal });
      assert.match(page.html, /<iframe srcdoc="[^"]*the content that was waited for[^"]*" src=/, engine);
      assert.equal(page.finalUrl, url.href);
    }
    const isRead = async (words: number): Promise<boolean> =>
      (await get(`/foreign-frame?src=${src}&words=${words}`, 'words.test', bare)).html.includes('srcdoc="');
    assert.deepEqual([await isRead(60), await isRead(70)], [true, false], 'below a text that explains it');
    const objects = await get('/object-frame?src=/static', 'objects.test', bare);
    assert.match(objects.html, /<object srcdoc="[^"]*the content that was waited for[^"]*" data=/);
    assert.match(objects.html, /<embed srcdoc="[^"]*the content that was waited for[^"]*" type=/);
    assert.match((await get('/frame-of-frames', 'nested.test', bare)).html, /the innermost frame/);
    const beside = await get(`/article-beside-frame?src=${src}`, 'beside.test', bare);
    assert.ok(!beside.html.includes('srcdoc'));
  } finally {
    await bare.close();
  }
});

void test('with hardly any time the first engine still tries', async () => {
  const url = new URL(`${site.named('silent.test')}/hang`);
  const tryBriefly = (): Promise<CaptureError> =>
    failure(fetcher.capture('auto', { url, timeoutMs: 60, signal: new AbortController().signal }));
  let error = await tryBriefly();
  // A busy machine may take all of the time before the engine begins.
  for (let left = 20; left > 0 && outcomes(error).length === 0; left -= 1) error = await tryBriefly();
  assert.deepEqual([error.code, outcomes(error)], ['fetch_timeout', ['http failed']]);
});

void test('the only document that a page embeds is read in its place', async () => {
  const sources: string[] = [];
  const documents: DocumentConverter = {
    convert: async ({ content }) => {
      sources.push(Buffer.from(content as Uint8Array).toString('latin1'));
      return { html: `<!doctype html>\n<html data-winnow-document="pdf"><body>${ARTICLE}</body></html>` };
    },
  };
  const reading = open({ documents });
  try {
    for (const [engine, kind] of [
      ['auto', 'embed'],
      ['auto', 'object'],
      ['http', 'frame'],
      ['vendor_lite', 'viewer'],
      ['auto', 'unnamed'],
      ['http', 'unnamed'],
      ['stable', 'unnamed'],
    ] as const) {
      const url = new URL(`${site.named(`${kind}.test`)}/embedded-pdf?as=${kind}`);
      const page = await reading.capture(engine, { url, timeoutMs: 60_000, signal: new AbortController().signal });
      assert.deepEqual([page.document, new URL(page.finalUrl).pathname], ['pdf', '/pdf'], kind);
      assert.deepEqual(page.redirects[0], { url: url.href, statusCode: 200 });
    }
    assert.equal(sources.length, 7);
    const beside = await get('/embedded-pdf?as=embed&article', 'beside.test', reading);
    assert.equal(beside.document, undefined);
  } finally {
    await reading.close();
  }
});

void test('the document to which a page leads is read in its place, with the cookies of the browser', async () => {
  const documents: DocumentConverter = {
    convert: async () => ({
      html: `<!doctype html>\n<html data-winnow-document="pdf"><body>${ARTICLE}</body></html>`,
    }),
  };
  const reading = open({ documents });
  const lead = (engine: 'auto' | 'stable' | 'vendor_lite', query: string, host: string): Promise<Capture> => {
    const url = new URL(`${site.named(host)}/leads-to-pdf?by=${query}`);
    return reading.capture(engine, { url, timeoutMs: 60_000, signal: new AbortController().signal });
  };
  try {
    for (const [engine, way] of [
      ['auto', 'script'],
      ['auto', 'refresh'],
      ['auto', 'cookie'],
      ['stable', 'link'],
      ['vendor_lite', 'cookie'],
    ] as const) {
      const { document, finalUrl, redirects } = await lead(engine, way, `${way}.${engine.replace('_', '')}.test`);
      const { pathname } = new URL(finalUrl);
      assert.deepEqual([document, pathname], ['pdf', way === 'cookie' ? '/leads-to-pdf' : '/pdf'], way);
      assert.equal(redirects[0]?.url.endsWith(`/leads-to-pdf?by=${way}`), true, way);
    }
    for (const query of ['script&article', 'attachment', 'nothing']) {
      const page = await lead('vendor_lite', query, 'stays.test');
      assert.deepEqual([page.document, new URL(page.finalUrl).pathname], [undefined, '/leads-to-pdf'], query);
      assert.ok(!('file' in page), query);
    }
  } finally {
    await reading.close();
  }
});

void test('when a remembered browser fails, plain HTTP is tried last', async () => {
  const memory = createHostMemory();
  const remembering = open({ memory });
  try {
    await get('/scripts-only', 'mixed-pages.test', remembering);
    const page = await get('/attached-page', 'mixed-pages.test', remembering);
    assert.deepEqual(outcomes(page), ['vendor_lite failed', 'http captured']);
    const key = shapeKeyOf(new URL(`${site.named('mixed-pages.test')}/attached-page`));
    assert.equal(await memory.recall(`${key} refused`), 'vendor_lite');
    await memory.remember(`${shapeKeyOf(new URL(`${site.named('mixed-pages.test')}/pdf`))} refused`, 'vendor_lite');
    const error = await failure(get('/pdf', 'mixed-pages.test', remembering));
    assert.deepEqual([error.code, outcomes(error)], ['unsupported_content', ['vendor_lite failed', 'http failed']]);
  } finally {
    await remembering.close();
  }
});

void test('a timeout error names the elapsed time and the limit', async () => {
  const request = { url: new URL(`${site.named('silent.test')}/hang`), timeoutMs: 1500 };
  const error = await failure(fetcher.capture('auto', { ...request, signal: new AbortController().signal }));
  assert.equal(error.code, 'fetch_timeout');
  assert.match(error.message, /^no page after \d+ ms of fetching; the limit is 1500 ms$/);
});

void test('the judge gets the remaining time and ends when the caller disconnects', async () => {
  const caller = new AbortController();
  const budgets: StageBudget[] = [];
  const judge: CaptureJudge = async (_, budget) => {
    budgets.push(budget);
    caller.abort();
    budget.signal.throwIfAborted();
    return { sufficient: true, reason: 'nobody disconnected' };
  };
  const url = new URL(`${site.named('hung-up.test')}/static`);
  const error = await failure(fetcher.capture('auto', { url, timeoutMs: 20_000, signal: caller.signal, judge }));
  assert.deepEqual([error.code, outcomes(error)], ['overloaded', ['http failed']]);
  const timeoutMs = budgets[0]?.timeoutMs ?? 0;
  assert.ok(timeoutMs > 0 && timeoutMs < 20_000, String(timeoutMs));
});

void test('where plain HTTP was refused, it is retried after an hour, and remembered if it works', async () => {
  let clock = 0;
  const memory = createHostMemory(() => clock);
  const host = 'repairing.test';
  const remembering = open({ memory });
  const HOUR_MS = 60 * 60 * 1000;
  try {
    const [refused, plain] = ['/scripts-only', '/about-captchas'];
    assert.deepEqual(outcomes(await get(refused, host, remembering)), ['http failed', 'vendor_lite captured']);
    clock += HOUR_MS - 1;
    assert.deepEqual(outcomes(await get(plain, host, remembering)), ['vendor_lite captured']);
    clock += 1;
    assert.deepEqual(outcomes(await get(refused, host, remembering)), ['http failed', 'vendor_lite captured']);
    assert.deepEqual(outcomes(await get(plain, host, remembering)), ['vendor_lite captured'], 'retried hourly');
    clock += HOUR_MS;
    assert.deepEqual(outcomes(await get(plain, host, remembering)), ['http captured']);
    const key = shapeKeyOf(new URL(site.named(host) + plain));
    assert.equal(await memory.recall(`${key} refused`), 'http');
    assert.deepEqual(outcomes(await get(plain, host, remembering)), ['http captured']);
  } finally {
    await remembering.close();
  }
});

void test('a page that needs scrolling goes on to the engine that scrolls, at once', async () => {
  const scrolling = open({ memory: createHostMemory() });
  const judge: CaptureJudge = async ({ html }) =>
    html.includes(' data-winnow-scrolled="end"')
      ? { sufficient: true, reason: 'it was scrolled' }
      : { sufficient: false, reason: 'it loads more', needsScroll: true };
  try {
    const page = await get('/list?on=scroll&ms=20', 'scrolling.test', scrolling, judge);
    assert.deepEqual(outcomes(page), ['http rejected', 'stable captured']);
  } finally {
    await scrolling.close();
  }
});

void test('a remembered shape starts with its engine, and the given judge decides', async () => {
  const memory = createHostMemory();
  const judged = open({ memory });
  const judge: CaptureJudge = async ({ engine }) => ({ sufficient: engine === 'stable', reason: `judged ${engine}` });
  try {
    const ladder = ['http rejected', 'vendor_lite rejected', 'stable captured'];
    assert.deepEqual(outcomes(await get('/client', 'judged.test', judged, judge)), ladder);
    assert.equal(await memory.recall(shapeKeyOf(new URL(`${site.named('judged.test')}/client`))), 'stable');
    assert.deepEqual(outcomes(await get('/client', 'judged.test', judged, judge)), [
      'http rejected',
      'stable captured',
    ]);
  } finally {
    await judged.close();
  }
});
