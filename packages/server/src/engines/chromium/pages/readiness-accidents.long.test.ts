/** Pages that are interrupted, navigate away or open windows, in every engine. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../../test/site/route.ts';
import { assertFails } from '../../testing/assert-fails.ts';
import { BROWSER_ENGINES } from '../../testing/browser-engines.ts';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, get, close } = await startSharedEngines();
after(close);

void test('frames count towards the page size with escaped quotes', async () => {
  assert.ok((await get('vendor_lite', '/large-frames?n=2')).html.includes('srcdoc='));
  await assertFails(get('vendor_lite', '/large-frames?n=3'), 'response_too_large', 'three of 300,000 quotes each');
});

void test('a page that navigates to a download or an empty response stays', async () => {
  for (const target of ['/download', '/empty-204', '/redirect-to?to=/download']) {
    for (const when of ['', '&at-once']) {
      const path = `/stays?for=${encodeURIComponent(target)}${when}`;
      const pages = await Promise.all(BROWSER_ENGINES.map((engine) => get(engine, path)));
      for (const { engine, html, finalUrl, statusCode, redirects, partial } of pages) {
        assert.ok(html.includes(MARK), `${engine} ${path}`);
        assert.deepEqual([finalUrl, statusCode, redirects, partial], [site.origin + path, 200, [], false], engine);
      }
    }
  }
  await assertFails(get('vendor_dom', '/stays?for=/json'), 'unsupported_content', 'content that the browser shows');
});

void test('a page with an interrupted connection is rejected, however much has arrived', async () => {
  for (const path of ['/too-short', '/cut-off', '/cut-off?chunked']) {
    await Promise.all(
      BROWSER_ENGINES.map((engine) => assertFails(get(engine, path), 'connect_failed', `${engine} ${path}`)),
    );
  }
});

void test('a page without any content at the deadline is rejected', async () => {
  // As many at a time as there are slots: queued captures would fail with `overloaded`.
  for (let first = 0; first < BROWSER_ENGINES.length; first += 2) {
    const pair = BROWSER_ENGINES.slice(first, first + 2);
    await Promise.all(pair.map((engine) => assertFails(get(engine, '/no-body', 1500), 'fetch_timeout', engine)));
  }
});

void test('popups are closed and block nothing', async () => {
  const refused = Array<string>(8).fill('/attack?vector=popup&target=127.0.0.1:1');
  for (const engine of ['chrome', 'chrome_cdp', 'vendor_dom'] as const) {
    const pages = await Promise.all(['/popups', '/popup-storm', ...refused].map((path) => get(engine, path)));
    assert.ok(pages.every(({ partial }) => !partial));
    for (const { html } of pages.slice(0, 2)) assert.ok(html.includes(MARK), html);
  }
});
