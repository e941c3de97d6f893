import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../../test/site/route.ts';
import { assertFails } from '../../testing/assert-fails.ts';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, capture, get, close } = await startSharedEngines();
after(close);

void test('an unrendered app shell is awaited while time is left', async () => {
  const paths = [
    '/late-shell',
    '/late-shell?class=MuiSkeleton-text',
    '/late-picture',
    '/late-data',
    '/late-event',
    '/late-frame',
    '/late-words',
    '/late-component',
    '/late-row',
    '/late-deferred',
    `/foreign-frame?src=${encodeURIComponent(`${site.named('other.test')}/late-shell`)}`,
    '/leaves-late',
    '/leaves-late-by-handler',
    '/leaves-after-a-wait',
    '/announces-another',
  ];
  const work = paths.map(async (path) => {
    for (const engine of ['vendor_lite', 'stable'] as const) {
      const { html, partial } = await get(engine, path);
      // Scripts contain it once.
      const least = /leaves|announces/.test(path) ? 1 : 10;
      assert.ok(html.split(MARK).length > least, `${engine} ${path}: ${html.slice(0, 400)}`);
      assert.equal(partial, false, `${engine} ${path}`);
    }
  });
  await Promise.all(work);
});

void test('a page is rendered without the script and the style sheet in its head that are never answered', async () => {
  const at = encodeURIComponent(site.httpsOrigin);
  const paths = ['/hanging-head', `/hanging-head?at=${at}`];
  const work = paths.map(async (path, index) => {
    const { html, partial, blockedRequests } = await get('stable', path, 10_000);
    assert.ok(html.includes(`<p>${MARK}</p>`) && !partial, `${path}: ${html}`);
    const origin = index === 0 ? site.origin : site.httpsOrigin;
    assert.deepEqual(
      blockedRequests.toSorted((one, other) => one.url.length - other.url.length),
      [`${site.origin}/no-answer?style`, `${origin}/no-answer?script`].map((url) => ({
        url,
        reason: 'did not answer in time',
      })),
    );
  });
  await Promise.all(work);
});

void test('a late redirect that a page with little text states is awaited', async () => {
  const stated = (content: string): string => `/states-refresh?content=${encodeURIComponent(content)}`;
  const paths = [stated('2;url=/static'), stated("4, '/static'"), '/header-refresh-late'];
  const work = paths.map(async (path) => {
    for (const engine of ['vendor_lite', 'stable'] as const) {
      const { finalUrl, redirects, partial } = await get(engine, path);
      assert.deepEqual([finalUrl, partial], [`${site.origin}/static`, false], `${engine} ${path}`);
      assert.deepEqual(redirects, [{ url: new URL(path, site.origin).href, statusCode: 200 }], `${engine} ${path}`);
    }
  });
  await Promise.all(work);
});

// Checks: threat-broken-http
void test('stated redirects end: a loop of late ones with its page, too many with an error', async () => {
  const loop = await get('vendor_lite', '/refresh-there');
  assert.ok(loop.html.includes('there.</p>'), loop.html);
  assert.ok(loop.redirects.length <= 5, JSON.stringify(loop.redirects));
  await assertFails(get('vendor_lite', '/refresh-loop'), 'too_many_redirects', '/refresh-loop');
});

void test('network failures get their error codes', async () => {
  await assertFails(get('chrome', '/reset'), 'connect_failed', '/reset');
  await assertFails(get('chrome', '/not-http'), 'connect_failed', '/not-http');
  await assertFails(get('chrome', '/redirect-loop'), 'too_many_redirects', '/redirect-loop');
  await assertFails(get('chrome', '/no-answer', 1500), 'fetch_timeout', '/no-answer');
  await assertFails(capture('chrome', `http://unknown.invalid:${site.port}/`), 'dns_failed', 'no such name');
  await assertFails(capture('chrome', `https://unknown.invalid:${site.port}/`), 'dns_failed', 'no such name, https');
  await assertFails(get('chrome', '/large'), 'response_too_large', '/large');
  await assertFails(get('chrome', '/bomb-gzip'), 'response_too_large', '/bomb-gzip');
  await assertFails(get('chrome', '/large-dom'), 'response_too_large', '/large-dom');
});

void test('at the deadline the current state is captured', async () => {
  const hanging = await get('chrome', '/hanging-image', 6000);
  assert.ok(hanging.partial && hanging.html.includes(MARK));
  const drip = await get('vendor_dom', '/drip', 6000);
  assert.ok(drip.partial && drip.html.includes('<p>drop</p>'));
});
