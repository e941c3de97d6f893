import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startEchoSite } from '../../../../test/requests/echo-site.ts';
import type { EchoedRequest, EchoSite } from '../../../../test/requests/echo-site.ts';
import type { Capture } from '../domain/capture/capture-ports.ts';
import type { CaptureOptions } from '../domain/request-options/page-options.ts';
import { createTestFetcher } from '../composition/testing/test-fetcher.ts';
import type { TestFetcherOptions } from '../composition/testing/test-fetcher.ts';
import type { EngineFetcher } from './create-fetcher.ts';

let site: EchoSite;
let fetcher: EngineFetcher;
const open = (options: TestFetcherOptions = {}): EngineFetcher =>
  createTestFetcher({
    egress: { allow: [`127.0.0.1:${site.port}`, `127.0.0.1:${site.httpsPort}`], deny: [] },
    dnsServers: [site.dns],
    extraCa: [site.ca],
    browserArgs: site.chromiumArgs,
    ...options,
  });
before(async () => {
  site = await startEchoSite(['127.0.0.1']);
  fetcher = open();
});
after(async () => {
  await fetcher.close();
  await site.close();
});

const ENGINES = ['http', 'vendor_dcl', 'vendor_lite'] as const;
const SECRET = { authorization: 'Bearer f00d', 'x-team': 'harbour' };

function capture(engine: (typeof ENGINES)[number], url: string, options: CaptureOptions): Promise<Capture> {
  const signal = new AbortController().signal;
  return fetcher.capture(engine, { url: new URL(url), timeoutMs: 30_000, signal, options });
}

const plain = (host: string, path: string): string => `http://${host}:${site.port}${path}`;
const secure = (host: string, path: string): string => `https://${host}:${site.httpsPort}${path}`;
const to = (target: string): string => `/redirect?to=${encodeURIComponent(target)}`;

function secretsOf({ headers }: EchoedRequest): (string | undefined)[] {
  return [headers.authorization, headers['x-team'] as string | undefined, headers.cookie];
}

const NOTHING = [undefined, undefined, undefined];
const cookie = (more: object) => [{ name: 'session', value: 'c00kie', path: '/', secure: false, ...more }];

for (const way of ['script', 'refresh'] as const) {
  // Checks: threat-other-site
  test(`a page that moves by ${way} takes headers and cookies only to its own site, also for a document`, async () => {
    const documents = {
      convert: async () => ({ html: '<!doctype html><html data-winnow-document="pdf"><body>The report</body></html>' }),
    };
    const reading = open({ documents });
    const options = { headers: SECRET, cookies: cookie({ domain: 'site.test' }) };
    try {
      for (const [host, path] of [
        ['other.test', '/report'],
        ['www.site.test', '/report'],
        ['other.test', '/page'],
      ] as const) {
        const url = new URL(plain('site.test', `/moves?by=${way}&to=${encodeURIComponent(plain(host, path))}`));
        const signal = new AbortController().signal;
        const { finalUrl } = await reading.capture('vendor_lite', { url, timeoutMs: 30_000, signal, options });
        assert.equal(finalUrl, plain(host, path));
        const requests = site.take().filter((request) => request.path === path);
        // The browser and plain HTTP.
        assert.equal(requests.length, path === '/report' ? 2 : 1);
        const expected = host === 'other.test' ? NOTHING : ['Bearer f00d', 'harbour', 'session=c00kie'];
        for (const request of requests) assert.deepEqual([request.host, ...secretsOf(request)], [host, ...expected]);
      }
    } finally {
      await reading.close();
    }
  });
}

for (const engine of ENGINES) {
  // Checks: threat-other-site
  test(`${engine}: headers and cookies are sent to the site of the target only, also after a redirect`, async () => {
    const path = to(plain('www.site.test', to(plain('other.test', '/page'))));
    const options = { headers: SECRET, cookies: cookie({ domain: 'site.test' }) };
    const { finalUrl } = await capture(engine, plain('site.test', path), options);
    assert.equal(finalUrl, plain('other.test', '/page'));
    const requests = site.take();
    const own = requests.filter(({ host }) => host !== 'other.test');
    assert.deepEqual([...new Set(own.map(({ host }) => host))], ['site.test', 'www.site.test']);
    for (const request of own)
      assert.deepEqual(secretsOf(request), ['Bearer f00d', 'harbour', 'session=c00kie'], request.path);
    const foreign = requests.filter(({ host }) => host === 'other.test');
    assert.ok(foreign.length > 0);
    for (const request of foreign) assert.deepEqual(secretsOf(request), NOTHING, request.path);
  });

  // Checks: threat-other-site
  test(`${engine}: headers and cookies for an https target are never sent over plain http`, async () => {
    const path = to(plain('site.test', '/page'));
    const options = { headers: SECRET, cookies: cookie({ domain: 'site.test', secure: true }) };
    await capture(engine, secure('site.test', path), options);
    const requests = site.take();
    const [first, ...others] = requests;
    assert.ok(first && others.length > 0);
    assert.deepEqual([first.scheme, ...secretsOf(first)], ['https', 'Bearer f00d', 'harbour', 'session=c00kie']);
    for (const request of others) assert.deepEqual([request.scheme, ...secretsOf(request)], ['http', ...NOTHING]);
  });

  // Checks: threat-other-site
  test(`${engine}: a cookie without a domain is sent only to the host of the target`, async () => {
    await capture(engine, plain('site.test', to(plain('www.site.test', '/page'))), { cookies: cookie({}) });
    const requests = site.take();
    assert.equal(requests[0]?.headers.cookie, 'session=c00kie');
    for (const { host, headers } of requests.slice(1)) {
      assert.equal(host, 'www.site.test');
      assert.equal(headers.cookie, undefined);
    }
  });

  test(`${engine}: the request sets the language, the user agent and the device`, async () => {
    await capture(engine, plain('site.test', '/page'), { accept_language: 'fr;q=0.5, de-CH', user_agent: 'Test/1.0' });
    const [first] = site.take();
    assert.match(
      first?.headers['accept-language'] ?? '',
      engine === 'http' ? /^fr;q=0.5, de-CH$/ : /^de-CH,fr;q=0\.\d$/,
    );
    assert.equal(first?.headers['user-agent'], 'Test/1.0');
    await capture(engine, plain('site.test', '/page'), { locale: 'de-CH', device: 'mobile' });
    const [second] = site.take();
    assert.equal(second?.headers['accept-language'], 'de-CH,de;q=0.9');
    assert.match(second?.headers['user-agent'] ?? '', /^Mozilla\/5\.0 \(Linux; Android 10; K\) .* Mobile Safari\//);
  });

  // Checks: threat-foreign-options
  test(`${engine}: options of a request do not affect other requests`, async () => {
    await capture(engine, plain('site.test', '/page'), { headers: SECRET, cookies: cookie({}), locale: 'de-CH' });
    site.take();
    await capture(engine, plain('site.test', '/page'), {});
    for (const request of site.take()) {
      assert.deepEqual(secretsOf(request), NOTHING);
      assert.match(request.headers['accept-language'] ?? 'en-US', /^en-US/);
    }
  });
}

for (const engine of ['vendor_dcl', 'vendor_lite'] as const) {
  // Checks: threat-other-site
  test(`${engine}: custom headers are sent to sub-resources of the same site only`, async () => {
    const foreign = encodeURIComponent(plain('other.test', ''));
    await capture(engine, plain('site.test', `/page?foreign=${foreign}`), { headers: SECRET });
    const requests = site.take();
    const find = (path: string): EchoedRequest => {
      const found = requests.find((request) => request.path === path);
      assert.ok(found, path);
      return found;
    };
    assert.equal(find('/own.js').headers.authorization, 'Bearer f00d');
    assert.deepEqual(secretsOf(find('/foreign.js')), NOTHING);
  });
}

test('scripts of a page see the locale and the device of the request', async () => {
  const options = { locale: 'de-DE', device: 'mobile' } as const;
  const { html } = await capture('vendor_dcl', secure('site.test', '/page'), options);
  for (const fact of ['language="de-DE"', 'number="1.234,5"', 'width="412"', 'touch="5"', 'mobile="true"'])
    assert.ok(html.includes(`data-${fact}`), `${fact} in ${/<body[^>]*>/.exec(html)?.[0]}`);
});

test('client hints agree with the User-Agent, in headers and scripts, and name no headless browser', async () => {
  site.take();
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.1.2 Safari/537.36';
  const edge = mac.replace('Macintosh; Intel Mac OS X 10_15_7', 'Windows NT 10.0; Win64; x64') + ' Edg/121.0.0.0';
  for (const [options, brand, platform] of [
    [{}, / "Google Chrome";v="156"/, '"Linux"'],
    [{ device: 'mobile' }, / "Google Chrome";v="156"/, '"Android"'],
    [{ user_agent: mac }, / "Google Chrome";v="121"/, '"macOS"'],
    [{ user_agent: edge }, / "Microsoft Edge";v="121"/, '"Windows"'],
    [{ user_agent: 'ExampleBot/1.0' }, /^$/, ''],
  ] as const) {
    const { html } = await capture('vendor_dcl', secure('site.test', '/page'), options);
    const isMobile = 'device' in options;
    const requests = site.take();
    assert.ok(requests.length > 1);
    for (const { path, headers } of requests) {
      const shown = JSON.stringify([path, headers]);
      assert.ok(!/headless/i.test(shown), shown);
      assert.match(String(headers['sec-ch-ua'] ?? ''), brand, shown);
      if (platform === '') continue;
      assert.equal(headers['sec-ch-ua-platform'], platform, shown);
      assert.equal(headers['sec-ch-ua-mobile'], isMobile ? '?1' : '?0', shown);
      assert.equal(/Mobile/.test(headers['user-agent'] ?? ''), isMobile, shown);
    }
    const facts = /<body[^>]*>/.exec(html)?.[0] ?? '';
    assert.ok(facts.includes(`data-mobile="${isMobile}"`), facts);
    assert.ok(facts.includes(`data-platform="${platform.replaceAll('"', '')}"`), facts);
    assert.ok(!/headless/i.test(facts), facts);
    if (platform !== '') assert.match(facts, /data-brands="[^"]*Chromium (?:156|121), [^"]*"/);
  }
});

test('a browser does not load resources that the request blocks', async () => {
  await capture('vendor_dcl', plain('site.test', '/page'), {});
  const all = site.take().map(({ path }) => path);
  assert.ok(all.includes('/style.css'), String(all));
  await capture('vendor_dcl', plain('site.test', '/page'), { block: ['styles', 'images'], headers: SECRET });
  const rest = site.take().map(({ path }) => path);
  assert.ok(rest.includes('/own.js') && !rest.includes('/style.css') && !rest.includes('/fish.png'), String(rest));
});

test('a browser waits for the element or the number of milliseconds in the request', async () => {
  const url = plain('site.test', '/late');
  const late = 'The late paragraph has come.</p>';
  assert.ok(!(await capture('vendor_lite', url, {})).html.includes(late));
  const byElement = await capture('vendor_lite', url, { wait_for: 'article > #late' });
  assert.ok(byElement.html.includes(late) && !byElement.partial);
  const byTime = await capture('vendor_lite', url, { wait_for: 2500 });
  assert.ok(byTime.html.includes(late) && !byTime.partial);
});

test('the awaited element may be in a shadow root or a frame', async () => {
  const url = plain('site.test', '/late-inside');
  for (const part of ['root', 'frame']) {
    const { html, partial } = await capture('vendor_lite', url, { wait_for: `p.in-${part}` });
    assert.ok(html.includes(`The late ${part} has come.`) && !partial, html);
  }
});

test('a selector that the browser does not support is an invalid request', async () => {
  for (const engine of ['vendor_lite', 'auto'] as const) {
    const request = { url: new URL(plain('site.test', '/page')), timeoutMs: 30_000 };
    const capturing = fetcher.capture(engine, {
      ...request,
      signal: new AbortController().signal,
      options: { wait_for: 'p:contains("x")' },
    });
    await assert.rejects(capturing, {
      code: 'invalid_request',
      message: /^wait_for: the browser does not support this selector/,
    });
  }
});

test('a page without the awaited element is captured at the deadline', async () => {
  const request = { url: new URL(plain('site.test', '/page')), timeoutMs: 4000, signal: new AbortController().signal };
  for (const engine of ['vendor_lite', 'auto'] as const) {
    const { partial, html } = await fetcher.capture(engine, { ...request, options: { wait_for: '#never' } });
    assert.ok(partial && html.includes('The market by the harbour'), engine);
  }
});
