import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WinnowClient } from '../../packages/client/src/index.ts';
import { dumpResponseSchema, extractResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';
import { startEchoSite } from './echo-site.ts';
import type { EchoSite } from './echo-site.ts';

let running: Running;
let site: EchoSite;
before(async () => {
  site = await startEchoSite(['127.0.0.1']);
  running = await startRunning({ WINNOW_UPSTREAM_PROXIES: 'eu=http://127.0.0.1:9', WINNOW_REQUEST_PROXIES: 'direct' });
});
after(async () => {
  await running.close();
  await site.close();
});

/** Each test has its own page. */
let pages = 0;
const newPage = (path = '/page'): string => `http://127.0.0.1:${site.port}${path}?n=${++pages}`;

const WAYS = {
  extract: (url: string, cacheControl?: string, options: object = {}, as: 'A' | 'B' = 'B') =>
    running.call('/v1/extract', { extract: { url, options } }, { as, ...withCacheControl(cacheControl) }),
  dump: (url: string, cacheControl?: string, options: object = {}, as: 'A' | 'B' = 'B') =>
    running.call('/v1/dom/dump', { url, options }, { as, ...withCacheControl(cacheControl) }),
} as const;
const WAY_NAMES = ['extract', 'dump'] as const;
type Way = (typeof WAY_NAMES)[number];

function withCacheControl(value: string | undefined): { readonly headers?: Record<string, string> } {
  return value === undefined ? {} : { headers: { 'Cache-Control': value } };
}

const domIdOf = (way: Way, { body }: Answer): string => (way === 'extract' ? body.metadata.dom_id : body.dom_id);
const isCached = (way: Way, { body }: Answer): boolean =>
  (way === 'extract' ? body.metadata.cached : body.debug.cached) === true;
const fetchedAtOf = (way: Way, { body }: Answer): string =>
  way === 'extract' ? body.metadata.fetched_at : body.fetched_at;

async function age(domId: string, seconds: number): Promise<void> {
  const row = await running.store.snapshots.find(running.projectId, domId);
  assert.ok(row);
  await running.store.snapshots.delete(running.projectId, domId);
  await running.store.snapshots.insert({ ...row, fetchedAt: new Date(row.fetchedAt.getTime() - seconds * 1000) });
}

for (const way of WAY_NAMES) {
  for (const as of ['A', 'B'] as const) {
    test(`${way}: max-age reuses a recent snapshot, and the answer has its id and age (variant ${as})`, async () => {
      const url = newPage();
      const first = await WAYS[way](url, undefined, {}, as);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.equal(first.headers.get('Age'), null);
      assert.equal(isCached(way, first), false);
      await age(domIdOf(way, first), 100);
      site.take();
      const second = await WAYS[way](url, 'max-age=3600', {}, as);
      assert.deepEqual(site.take(), []);
      (way === 'extract' ? extractResponseSchema : dumpResponseSchema).strict().parse(second.body);
      assert.equal(isCached(way, second), true);
      assert.equal(domIdOf(way, second), domIdOf(way, first));
      const seconds = Number(second.headers.get('Age'));
      assert.ok(seconds >= 100 && seconds < 3600, String(seconds));
      assert.equal(Date.parse(fetchedAtOf(way, first)) - Date.parse(fetchedAtOf(way, second)), 100_000);
      if (way === 'extract') assert.equal(second.body.result.main_text, first.body.result.main_text);
      else assert.equal(second.body.html, first.body.html);
    });
  }

  test(`${way}: without Cache-Control, with no-cache, no-store and max-age=0 the page is fetched`, async () => {
    const url = newPage();
    await WAYS[way](url);
    for (const cacheControl of [
      undefined,
      'no-cache',
      'no-store',
      'max-age=0',
      'no-cache, max-age=60',
      'max-stale=60',
    ]) {
      site.take();
      const answer = await WAYS[way](url, cacheControl);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.ok(site.take().length > 0, cacheControl);
      assert.equal(answer.headers.get('Age'), null);
    }
  });

  test(`${way}: a snapshot older than max-age is not reused, and the newest snapshot is`, async () => {
    const url = newPage();
    const old = domIdOf(way, await WAYS[way](url));
    await age(old, 1000);
    site.take();
    const fresh = await WAYS[way](url, 'max-age=999');
    assert.ok(site.take().length > 0);
    assert.notEqual(domIdOf(way, fresh), old);
    assert.equal(domIdOf(way, await WAYS[way](url, 'max-age=99999999999')), domIdOf(way, fresh));
  });

  test(`${way}: only-if-cached returns a snapshot of any age, and 504 not_cached without one`, async () => {
    const url = newPage();
    assertRefused(await WAYS[way](url, 'only-if-cached'), 'not_cached', /only-if-cached/, 'fetch');
    assert.equal((await WAYS[way](url, 'only-if-cached')).body.error.retryable, false);
    assert.deepEqual(site.take(), []);
    await age(domIdOf(way, await WAYS[way](url)), 100_000);
    assert.equal((await WAYS[way](url, 'only-if-cached')).status, 200);
    assertRefused(await WAYS[way](url, 'only-if-cached, max-age=60'), 'not_cached', /recent enough/, 'fetch');
    assertRefused(await WAYS[way](url, 'only-if-cached, no-cache'), 'not_cached', /only-if-cached/, 'fetch');
  });

  test(`${way}: a max-age that is not a number of seconds is 400 and names the header`, async () => {
    for (const value of ['max-age=-1', 'max-age=abc', 'max-age', 'max-age=1.5'])
      assertRefused(await WAYS[way](newPage(), value), 'invalid_request', /^Cache-Control: max-age must be/);
  });

  const OWN: readonly (readonly [name: string, options: object])[] = [
    ['headers', { headers: { 'X-Team': 'harbour' } }],
    ['cookies', { cookies: [{ name: 'session', value: 'f00d' }] }],
    ['a proxy', { proxy: 'direct' }],
    ['a language', { accept_language: 'de' }],
    ['a locale', { locale: 'de-CH' }],
    ['a user agent', { user_agent: 'Harbour/1.0' }],
    ['a device', { device: 'mobile' }],
    ['a block list', { block: ['images'] }],
    ['a filter', { filter_scripts_styles: true }],
  ];
  for (const [name, options] of OWN) {
    // Checks: threat-reuse
    test(`${way}: a capture with ${name} is never reused, and reuses no other`, async () => {
      const url = newPage();
      const own = { engine_preference: 'http', ...options };
      assert.equal((await WAYS[way](url, undefined, own)).status, 200);
      const plain = { engine_preference: 'http' };
      assertRefused(await WAYS[way](url, 'only-if-cached', plain), 'not_cached', /recent enough/, 'fetch');
      assertRefused(await WAYS[way](url, 'only-if-cached', own), 'not_cached', /reuse no snapshots/, 'fetch');
      await WAYS[way](url, undefined, plain);
      assert.equal((await WAYS[way](url, 'only-if-cached', plain)).status, 200);
      assertRefused(await WAYS[way](url, 'only-if-cached', own), 'not_cached', /reuse no snapshots/, 'fetch');
    });
  }

  // Checks: threat-reuse
  test(`${way}: an error page is not reused`, async () => {
    const url = newPage('/missing');
    const failed = await WAYS[way](url);
    assert.equal(failed.body.error.code, 'http_status_not_ok');
    assert.match(failed.body.metadata.dom_id, /^dom_/);
    assertRefused(await WAYS[way](url, 'only-if-cached'), 'not_cached', /recent enough/, 'fetch');
  });

  // Checks: threat-reuse
  test(`${way}: a partial capture is not reused`, async () => {
    const url = `${running.pages.url}/torn?n=${++pages}`;
    const torn = await WAYS[way](url);
    assert.equal(way === 'extract' ? torn.body.metadata.partial : torn.body.debug.partial, true);
    const { items } = await running.store.snapshots.list(running.projectId, { urlContains: `n=${pages}` });
    assert.deepEqual(
      items.map(({ reuseKey = null }) => reuseKey),
      [null],
    );
  });
}

test('a snapshot is reused only for the same engine, by dumps and extracts alike', async () => {
  const url = newPage();
  const dumped = await WAYS.dump(url, undefined, { engine_preference: 'http' });
  const http = await WAYS.extract(url, 'only-if-cached', { engine_preference: 'http', timeout_ms: 60_000 });
  assert.equal(http.body.metadata.dom_id, dumped.body.dom_id);
  assertRefused(await WAYS.extract(url, 'only-if-cached'), 'not_cached', /recent enough/, 'fetch');
});

// Checks: threat-reuse
test('snapshots of another project and uploads are not reused', async () => {
  const url = newPage();
  await WAYS.extract(url);
  await running.store.projects.insert({ id: 'prj_other', name: 'other', createdAt: new Date(), archivedAt: null });
  const key = await running.addKey({ projectId: 'prj_other', kind: 'key_only' });
  const headers = { 'X-API-Key': key, 'Cache-Control': 'only-if-cached' };
  const answer = await running.call('/v1/extract', { extract: { url } }, { as: 'none', headers });
  assertRefused(answer, 'not_cached', /recent enough/, 'fetch');
  const uploaded = newPage();
  await running.call('/v1/snapshots', { url: uploaded, html: '<p>Somebody says so.' });
  assertRefused(await WAYS.extract(uploaded, 'only-if-cached'), 'not_cached', /recent enough/, 'fetch');
});

test('a deleted snapshot is not reused, and the page is fetched', async () => {
  const url = newPage();
  const { dom_id } = (await WAYS.extract(url)).body.metadata;
  await running.call(`/v1/snapshots/${dom_id}`, undefined, { method: 'DELETE' });
  site.take();
  const answer = await WAYS.extract(url, 'max-age=3600');
  assert.equal(answer.status, 200);
  assert.ok(site.take().length > 0);
  assert.notEqual(answer.body.metadata.dom_id, dom_id);
});

test('the trace shows the reuse of a page, and its URL is checked as for a fetch', async () => {
  const url = newPage();
  await WAYS.extract(url);
  const { body } = await WAYS.extract(url, 'max-age=3600');
  assert.equal(findStep(body, 'fetch').status, 'skipped');
  assert.equal(findStep(body, 'snapshot').detail['source'], 'reused');
  assertRefused(await WAYS.extract('http://10.0.0.1/', 'only-if-cached'), 'url_not_allowed', /extract\.url/);
});

test('with a dom_id, Cache-Control has no effect', async () => {
  const { dom_id } = (await WAYS.extract(newPage())).body.metadata;
  const headers = { 'Cache-Control': 'only-if-cached, max-age=0' };
  const answer = await running.call('/v1/extract', { extract: { dom_id } }, { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('Age'), null);
});

test('the SDK sends Cache-Control', async () => {
  const client = new WinnowClient({ baseUrl: running.url, apiKey: running.secrets.key_only });
  const url = newPage();
  const first = await client.extract({ extract: { url } });
  const second = await client.extract({ extract: { url } }, { cacheControl: 'max-age=3600' });
  assert.deepEqual([second.metadata.cached, second.metadata.dom_id], [true, first.metadata.dom_id]);
});
