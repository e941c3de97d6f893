import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { PAGE_OPTIONS } from '@winnow/contract';
import { startConnectProxy } from '../hostile/connect-proxy.ts';
import type { ConnectProxy } from '../hostile/connect-proxy.ts';
import { assertRefused } from '../support/assert-refused.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';
import { startEchoSite } from './echo-site.ts';
import type { EchoSite } from './echo-site.ts';

const HEADER_SECRET = 'Bearer hunter2-header';
const COOKIE_SECRET = 'hunter2-cookie';

let running: Running;
let site: EchoSite;
let proxy: ConnectProxy;
before(async () => {
  [site, proxy] = await Promise.all([startEchoSite(), startConnectProxy()]);
  running = await startRunning({
    WINNOW_EGRESS_ALLOW: '127.0.0.1,127.0.0.2',
    WINNOW_ACCEPT_LANGUAGE: 'pt-BR,pt;q=0.9',
    WINNOW_UPSTREAM_PROXIES: `eu=${proxy.url.replace('//', '//user:hunter2-proxy@')},us=http://127.0.0.1:9`,
    WINNOW_REQUEST_PROXIES: 'eu',
    WINNOW_REQUEST_LOG: 'full',
  });
});
after(async () => {
  await running.close();
  await Promise.all([site.close(), proxy.close()]);
});

const page = (host = '127.0.0.1', rest = '/page'): string => `http://${host}:${site.port}${rest}`;

/** Sends options with each kind of request that accepts them. */
const WAYS = {
  extract: (url: string, options: object) => running.call('/v1/extract', { extract: { url, options } }),
  dump: (url: string, options: object) => running.call('/v1/dom/dump', { url, options }),
  batch: async (url: string, options: object): Promise<Answer> => {
    const made = await running.call('/v1/batches', { urls: [url], options, respect_robots: false });
    return made.status === 200 ? finish(made) : made;
  },
} as const;
type Way = keyof typeof WAYS;
const PATHS: Readonly<Record<Way, string>> = { extract: 'extract.options', dump: 'options', batch: 'options' };

interface Progress {
  readonly batch: { readonly id: string; readonly state: string };
}

/** Waits for a batch and returns its only line as the answer of an extract. */
async function finish(made: Answer): Promise<Answer> {
  const { id } = (made.body as unknown as Progress).batch;
  const headers = { 'X-API-Key': running.secrets.key_only };
  for (;;) {
    const { body } = await running.call(`/v1/batches/${id}`, undefined, { method: 'GET' });
    if ((body as unknown as Progress).batch.state === 'completed') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const lines = await fetch(`${running.url}/v1/batches/${id}/results`, { headers });
  return { ...made, body: JSON.parse(await lines.text()) as Answer['body'] };
}

const WAY_NAMES = Object.keys(WAYS) as Way[];
for (const way of WAY_NAMES) {
  test(`${way}: engine, language, headers, cookies and user agent follow the options`, async () => {
    const { status, body } = await WAYS[way](page(), {
      engine_preference: 'http',
      accept_language: 'de-CH,de;q=0.9',
      headers: { Authorization: HEADER_SECRET, 'X-Team': 'harbour' },
      cookies: [{ name: 'session', value: COOKIE_SECRET }],
      user_agent: 'Harbour/1.0',
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.error, undefined);
    const [request] = site.take();
    assert.equal(request?.headers['accept-language'], 'de-CH,de;q=0.9');
    assert.equal(request?.headers.authorization, HEADER_SECRET);
    assert.equal(request?.headers['x-team'], 'harbour');
    assert.equal(request?.headers.cookie, `session=${COOKIE_SECRET}`);
    assert.equal(request?.headers['user-agent'], 'Harbour/1.0');
  });

  test(`${way}: a browser engine waits, blocks and emulates a device as in the options`, async () => {
    const { body } = await WAYS[way](page('127.0.0.1', '/late'), {
      engine_preference: 'vendor_dcl',
      timeout_ms: 60_000,
      locale: 'de-CH',
      timezone: 'asia/kolkata',
      device: 'mobile',
      wait_for: '#late',
      block: ['styles'],
    });
    assert.equal(body.error, undefined, JSON.stringify(body));
    assert.match(way === 'dump' ? body.html : body.result.main_text, /The late paragraph has come/);
    if (way === 'dump') assert.match(body.html, /data-epoch="Thu Jan 01 1970 05:30:00 GMT\+0530"/);
    const requests = site.take();
    assert.equal(requests[0]?.headers['accept-language'], 'de-CH,de;q=0.9');
    assert.match(requests[0]?.headers['user-agent'] ?? '', /Mobile Safari/);
    const paths = requests.map((request) => request.path);
    assert.ok(paths.includes('/own.js') && !paths.includes('/style.css'), String(paths));
  });

  test(`${way}: without options the language is WINNOW_ACCEPT_LANGUAGE`, async () => {
    await WAYS[way](page(), {});
    assert.equal(site.take()[0]?.headers['accept-language'], 'pt-BR,pt;q=0.9');
  });

  // Checks: threat-chosen-proxy
  test(`${way}: a proxy is chosen by its name, and the egress policy applies through it`, async (t) => {
    proxy.take();
    // Each browser capture opens its own connections.
    const { body } = await WAYS[way](page(), { engine_preference: 'vendor_dcl', timeout_ms: 60_000, proxy: 'eu' });
    assert.equal(body.error, undefined, JSON.stringify(body));
    assert.deepEqual([...new Set(proxy.take())], [`127.0.0.1:${site.port}`]);
    const canary = await startCanary();
    t.after(() => canary.close());
    for (const target of [
      `http://127.0.0.3:${canary.port}/`,
      page('127.0.0.1', `/redirect?to=http://[::1]:${canary.port}/`),
    ]) {
      const refused = await WAYS[way](target, { engine_preference: 'http', proxy: 'eu' });
      assert.match(refused.body.error.code, /^(?:url_not_allowed|egress_denied)$/, target);
    }
    assert.deepEqual(canary.visits, []);
    for (const target of proxy.take()) assert.equal(target, `127.0.0.1:${site.port}`);
  });

  const field = PATHS[way];
  const REFUSED: readonly (readonly [name: string, options: object, message: RegExp])[] = [
    ...['Host', 'Connection', 'Transfer-Encoding', 'Content-Length', 'Upgrade', 'Proxy-Authorization'].map(
      (name) =>
        [name, { headers: { [name]: 'x' } }, new RegExp(`headers.${name}: must not be set; allowed are`)] as const,
    ),
    ['Cookie', { headers: { Cookie: 'a=b' } }, /headers\.Cookie: must not be set here; use options\.cookies/],
    ['a forged origin', { headers: { 'X-Forwarded-For': '10.0.0.1' } }, /headers\.X-Forwarded-For: must not be set/],
    ['another method', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }, /X-HTTP-Method-Override: must not be set/],
    ['a line end', { headers: { 'X-A': 'b\r\nHost: c' } }, /headers\.X-A: must be printable ASCII/],
    ['an invalid name', { headers: { 'X A': 'b' } }, /headers\.X A: is not the name of a header/],
    ['a repeated name', { headers: { 'X-A': 'b', 'x-a': 'c' } }, /headers\.x-a: is there twice/],
    [
      'Negotiate',
      { headers: { Authorization: 'Negotiate abc' } },
      /headers\.Authorization: must not be of the schemes/,
    ],
    ['a long value', { headers: { 'X-A': 'b'.repeat(9000) } }, /headers\.X-A: must have at most 8192/],
    [
      'a foreign cookie',
      { cookies: [{ name: 'a', value: 'b', domain: 'example.com' }] },
      /cookies\[0\]\.domain: example\.com is not of 127\.0\.0\.1/,
    ],
    [
      'a cookie of a suffix',
      { cookies: [{ name: 'a', value: 'b', domain: 'com' }] },
      /cookies\[0\]\.domain: com is not of/,
    ],
    [
      'an invalid cookie domain',
      { cookies: [{ name: 'a', value: 'b', domain: 'a b' }] },
      /cookies\[0\]\.domain: is not the name/,
    ],
    [
      'a cookie with a semicolon',
      { cookies: [{ name: 'a', value: 'b; Domain=c' }] },
      /cookies\[0\]\.value: must be printable/,
    ],
    ['an invalid language', { accept_language: 'de;q=2' }, /accept_language: must be the value of an Accept-Language/],
    ['an invalid locale', { locale: 'german!' }, /locale: must be a language tag/],
    ['an unknown time zone', { timezone: 'Mars/Phobos' }, /timezone: must be the name of a time zone/],
    ['an offset for a time zone', { timezone: '+01:00' }, /timezone: must be the name of a time zone/],
    ['a user agent with a line end', { user_agent: 'a\nb' }, /user_agent: must be printable/],
    ['an unknown device', { device: 'fridge' }, /device: must be one of desktop, mobile/],
    ['an unknown resource', { block: ['ads'] }, /block\[0\]: must be one of images, fonts, media, styles/],
    ['a proxy that is not offered', { proxy: 'us' }, /proxy: must be one of eu \(WINNOW_REQUEST_PROXIES\)/],
    ['an invalid selector', { wait_for: 'a[' }, /wait_for: is not a CSS selector/],
    ['wait_for with the engine http', { wait_for: 'p', engine_preference: 'http' }, /wait_for: needs a browser/],
    ['a wait beyond the limit', { wait_for: 5000, timeout_ms: 5000 }, /wait_for: must be less than timeout_ms/],
    ['an unknown option', { cookie: 'a=b' }, /cookie: unknown field/],
  ];
  for (const [name, options, message] of REFUSED) {
    // Checks: threat-header-smuggling
    test(`${way}: options with ${name} are 400 with the path, and nothing is fetched`, async () => {
      site.take();
      const answer = await WAYS[way](page(), options);
      assertRefused(answer, 'invalid_request', message);
      assert.ok(answer.body.error.message.startsWith(`${field}.`), answer.body.error.message);
      assert.deepEqual(site.take(), []);
    });
  }
}

test('timeout_ms of an extract bounds the whole request', async () => {
  const options = { engine_preference: 'vendor_dcl', wait_for: '#never', timeout_ms: 8000 };
  const { status, body } = await WAYS.extract(page(), options);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.metadata.partial, true);
  assert.equal((findStep(body, 'fetch').detail['budget_ms'] as number) <= 8000, true);
});

test('options of an extract with a dom_id are validated but have no effect', async () => {
  const dumped = await WAYS.dump(page(), {});
  site.take();
  const extract = { dom_id: dumped.body.dom_id, options: { engine_preference: 'http', locale: 'de-CH' } };
  const { status } = await running.call('/v1/extract', { extract });
  assert.equal(status, 200);
  assert.deepEqual(site.take(), []);
  const refused = await running.call('/v1/extract', { extract: { ...extract, options: { device: 'fridge' } } });
  assertRefused(refused, 'invalid_request', /extract\.options\.device: must be one of/);
});

test('every option is refused with a dom_id as it is with a url', async () => {
  const { dom_id } = (await WAYS.dump(page(), {})).body;
  const wrong: Readonly<Record<string, unknown>>[] = [
    { include_tags: ['['] },
    { exclude_tags: ['p', 'a:visited('] },
    { wait_for: '[' },
    { wait_for: 500, timeout_ms: 400 },
    { wait_for: '#a', engine_preference: 'http' },
    { proxy: 'nobody' },
    { cookies: [{ name: 'a', value: 'b', domain: 'example.org' }] },
    { headers: { Host: 'example.org' } },
    { accept_language: '??' },
    { locale: '??' },
    { timezone: 'Mars/Phobos' },
    { user_agent: ' x' },
    { device: 'fridge' },
    { block: ['words'] },
    { screenshot: 'half' },
    { screenshot_format: 'png' },
    { mhtml: 'yes' },
    { consent: 'perhaps' },
    { scroll: { max_steps: 0 } },
    { engine_preference: 'steam' },
    { filter_scripts_styles: 1 },
    { timeout_ms: 0 },
  ];
  assert.deepEqual(new Set(wrong.flatMap((options) => Object.keys(options))), new Set(Object.keys(PAGE_OPTIONS)));
  for (const options of wrong) {
    const fetched = await running.call('/v1/extract', { extract: { url: page(), options } });
    assertRefused(fetched, 'invalid_request', /^extract\.options\./);
    const stored = await running.call('/v1/extract', { extract: { dom_id, options } });
    assertRefused(stored, 'invalid_request', /^extract\.options\./);
    assert.equal(stored.body.error.message, fetched.body.error.message);
    assert.equal(findStep(stored.body, 'request').status, 'failed');
    // The pages of a batch are read later, and their cookies checked then.
    if (options['cookies'] !== undefined) continue;
    assertRefused(await running.call('/v1/batches', { dom_ids: [dom_id], options }), 'invalid_request', /^options\./);
  }
});

// Checks: threat-other-site
test('headers and cookies of a request go only to the site of the target, also in a batch', async () => {
  const options = { headers: { Authorization: HEADER_SECRET }, cookies: [{ name: 'session', value: COOKIE_SECRET }] };
  for (const engine_preference of ['http', 'vendor_dcl', 'auto']) {
    for (const way of WAY_NAMES) {
      const target = page('127.0.0.1', `/redirect?to=${encodeURIComponent(page('127.0.0.2'))}`);
      const { body } = await WAYS[way](target, { ...options, engine_preference, timeout_ms: 60_000 });
      assert.equal(body.error, undefined, JSON.stringify(body));
      const requests = site.take();
      const foreign = requests.filter(({ host }) => host === '127.0.0.2');
      assert.ok(requests.length > foreign.length && foreign.length > 0);
      for (const { headers } of foreign)
        assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined]);
    }
  }
});

// Checks: threat-other-site
test('a batch with urls of several sites is refused if it has headers or cookies', async () => {
  const urls = [page('127.0.0.1'), page('127.0.0.2')];
  for (const options of [{ headers: { 'X-A': 'b' } }, { cookies: [{ name: 'a', value: 'b' }] }]) {
    const answer = await running.call('/v1/batches', { urls, options });
    assertRefused(answer, 'invalid_request', /all urls of the batch must be of one site; item 1 is of 127\.0\.0\.2/);
  }
  const lines = [{ options: { headers: { 'X-A': 'b' } } }, ...urls.map((url) => ({ url }))];
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const answer = await running.call('/v1/batches', lines.map((line) => JSON.stringify(line)).join('\n'), { headers });
  assertRefused(answer, 'invalid_request', /all urls of the batch must be of one site/);
});

// Checks: threat-option-secrets
test('values of headers, cookies and proxies are in no log, trace, request record or batch row', async () => {
  const options = { headers: { Authorization: HEADER_SECRET }, cookies: [{ name: 'session', value: COOKIE_SECRET }] };
  const answers = [];
  for (const way of WAY_NAMES) {
    answers.push(await WAYS[way](page(), { ...options, proxy: 'eu', engine_preference: 'http' }));
    answers.push(await WAYS[way](page('127.0.0.1', '/missing'), { ...options, proxy: 'eu' }));
    answers.push(
      await WAYS[way](page(), { ...options, cookies: [{ name: 'a', value: COOKIE_SECRET, domain: 'b.test' }] }),
    );
  }
  assert.match(
    JSON.stringify(findStep(answers[0]!.body, 'fetch').detail),
    /"headers":\["authorization"\],"cookies":\["session"\]/,
  );
  const recorded = () => running.store.requests.list(running.projectId, {}, { limit: 200 });
  // Records are written after the answers.
  while ((await recorded()).items.length < answers.length) await new Promise((resolve) => setTimeout(resolve, 50));
  const { items } = await recorded();
  const details = await Promise.all(items.map(({ id }) => running.store.requests.find(running.projectId, id)));
  const batches = await running.store.batches.list(running.projectId);
  assert.ok(batches.items.some(({ options: { sealed } }) => sealed !== undefined));
  const database = await Promise.all(
    ['winnow.db', 'winnow.db-wal'].map((name) => readFile(path.join(running.folder, name), 'latin1').catch(() => '')),
  );
  const places = { answers, log: running.log, items, details, batches, database };
  for (const [place, text] of Object.entries(places).map(([name, value]) => [name, JSON.stringify(value)] as const))
    assert.doesNotMatch(text, /hunter2/, place);
});
