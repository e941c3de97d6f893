/** `/v2/map`, by Firecrawl's own client. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FirecrawlClient, SdkError } from 'firecrawl';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';
import { ENTITIES, makeGzipBomb, MANY, startMapSite, writeIndex, writeSitemap } from './map-sites.ts';
import type { MapSite } from './map-sites.ts';

let running: Running;
let client: FirecrawlClient;
before(async () => {
  running = await startRunning({
    WINNOW_CHROMIUM: 'none',
    WINNOW_HOST_SPACING: '0s',
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
  });
  client = new FirecrawlClient({ apiUrl: running.url, apiKey: running.secrets.key_only });
});
after(() => running.close());

async function onSite(
  files: Parameters<typeof startMapSite>[0],
  work: (site: MapSite, paths: (options?: object) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const site = await startMapSite(files);
  try {
    await work(site, async (options = {}) => {
      const { links } = await client.map(site.url, options);
      return links.map(({ url }) => url.replace(site.url, ''));
    });
  } finally {
    await site.close();
  }
}

test('a map has the links of the page and of all sitemaps, including compressed ones and those of robots.txt', async () => {
  const files = ({ url }: { url: string }) => ({
    '/robots.txt': `User-agent: *\nDisallow:\nSitemap: ${url}/sitemap-index.xml\nsitemap: ${url}/sitemap.txt`,
    '/sitemap-index.xml': writeIndex([`${url}/sitemap-a.xml.gz`, 'https://elsewhere.example/sitemap.xml']),
    '/sitemap-a.xml.gz': gzipSync(writeSitemap([`${url}/a`, `${url}/blog/one`, 'https://elsewhere.example/b'])),
    '/sitemap.txt': `\uFEFF${url}/from-text\r\n\r\n${url}/last-line`,
    '/sitemap.xml': writeSitemap([`${url}/usual?x=1`, 'javascript:alert(1)', 'no url', '']),
  });
  await onSite(files, async (site, paths) => {
    const expected = ['/', '/docs/start', '/blog/one', '/a', '/from-text', '/last-line', '/usual'];
    assert.deepEqual((await paths()).toSorted(), expected.toSorted());
    assert.deepEqual((await paths({ sitemap: 'only' })).toSorted(), expected.slice(2).toSorted());
    assert.equal(site.hits('/'), 1);
    assert.deepEqual((await paths({ sitemap: 'skip' })).toSorted(), expected.slice(0, 3).toSorted());
    assert.deepEqual(await paths({ search: 'BLOG' }), ['/blog/one']);
    assert.ok((await paths({ ignoreQueryParameters: false })).includes('/usual?x=1'));
    assert.equal((await paths({ limit: 2 })).length, 2);
    const { links } = await client.map(site.url, { search: 'get started' });
    assert.deepEqual(links, [{ url: `${site.url}/docs/start`, title: 'Get started', description: undefined }]);
  });
});

test('each sitemap after the first counts as a request, and a used-up quota ends the map', async () => {
  const files = ({ url }: { url: string }) => ({
    '/robots.txt': `Sitemap: ${url}/sitemap-index.xml`,
    '/sitemap-index.xml': writeIndex(Array.from({ length: 9 }, (_, index) => `${url}/sitemap-${index}.xml`)),
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`/sitemap-${index}.xml`, writeSitemap([`${url}/page-${index}`])]),
    ),
    '/sitemap.xml': writeSitemap([`${url}/usual`]),
  });
  await onSite(files, async (site) => {
    const { projectId } = running;
    const apiKey = await running.addKey({ projectId, kind: 'key_only', name: 'four', quotaPerMinute: 4 });
    const poor = new FirecrawlClient({ apiUrl: running.url, apiKey });
    const { links } = await poor.map(site.url, { sitemap: 'only' });
    // One unit for the map and its first sitemap, three for other sitemaps.
    assert.deepEqual(links.map(({ url }) => url.replace(site.url, '')).toSorted(), ['/page-0', '/page-1', '/usual']);
    await assert.rejects(poor.map(site.url), (error) => error instanceof SdkError && error.status === 429);
    const whole = await client.map(site.url, { sitemap: 'only' });
    assert.equal(whole.links.length, 10);
  });
});

// Checks: threat-sitemap
test('a map is bounded even if sitemaps are bombs, endless, deep, broken or circular', async () => {
  const bomb = makeGzipBomb();
  const files = ({ url }: { url: string }) => ({
    '/robots.txt': ['bomb', 'entities', 'deep', 'long', 'torn', 'index']
      .map((name) => `Sitemap: ${url}/sitemap-${name}.xml`)
      .join('\n'),
    '/sitemap-bomb.xml': bomb,
    '/sitemap-entities.xml': ENTITIES.replaceAll('SITE', new URL(url).host),
    '/sitemap-deep.xml': '<a>'.repeat(1_000_000),
    '/sitemap-long.xml': `<urlset><url><loc>${url}/${'x'.repeat(5_000_000)}</loc></url><url><loc>${url}/after`,
    '/sitemap-torn.xml': gzipSync(writeSitemap([`${url}/torn`])).subarray(0, 40),
    '/sitemap-index.xml': writeIndex(
      Array.from({ length: 1000 }, (_, index) => `${url}/sitemap-index.xml?${index}`).concat(
        `${url}/sitemap-index.xml`,
      ),
    ),
  });
  await onSite(files, async (site, paths) => {
    const found = await paths({ sitemap: 'only' });
    assert.deepEqual(found.toSorted(), ['/&c;&file;', '/tom&jerry']);
    let requested = 0;
    for (let index = 0; index < 1000; index++) requested += site.hits(`/sitemap-index.xml?${index}`);
    assert.ok(requested < 60, `${requested} sitemaps`);
  });
});

// Checks: threat-sitemap
test('a map has at most the requested number of links', async () => {
  const files = ({ url }: { url: string }) => ({
    '/sitemap.xml': writeSitemap(Array.from({ length: MANY }, (_, index) => `${url}/page-${index}`)),
  });
  await onSite(files, async (_site, paths) => {
    const all = await paths({ sitemap: 'only', limit: 30_000 });
    assert.equal(new Set(all).size, 30_000);
    assert.equal((await paths({ sitemap: 'only' })).length, 5000);
  });
});

// Checks: threat-sitemap
test('a map is answered in time even if a sitemap never arrives', async () => {
  const files = ({ url }: { url: string }) => ({ '/robots.txt': `Sitemap: ${url}/hang.xml` });
  await onSite(files, async (_site, paths) => {
    assert.deepEqual((await paths({ timeout: 3000 })).toSorted(), ['/', '/blog/one', '/docs/start']);
  });
});

test('unsupported options of a map are refused by name', async () => {
  for (const [options, name] of [
    [{ limit: 0 }, /limit: must be at least 1/],
    [{ limit: 1_000_000 }, /limit: must be at most 30000/],
    [{ sitemap: 'maybe' }, /sitemap: must be one of only, include, skip/],
    [{ location: { country: 'DE' } }, /location: is not supported/],
  ] as const) {
    await assert.rejects(client.map('http://127.0.0.1:1/', options as never), (error) => {
      assert.ok(error instanceof SdkError);
      assert.equal(error.status, 400);
      assert.match(error.message, name);
      return true;
    });
  }
  await assert.rejects(client.map('http://127.0.0.1:1/'), { code: 'connect_failed', status: 500 });
});

// Checks: threat-sitemap
test('a map reaches no refused address that robots.txt or sitemaps name', async () => {
  const canary = await startCanary();
  const inside = `http://127.0.0.2:${canary.port}`;
  const files = ({ url }: { url: string }) => ({
    '/robots.txt': `Sitemap: ${inside}/sitemap.xml\nSitemap: http://2130706434:${canary.port}/sitemap.xml`,
    '/sitemap.xml': writeIndex([`${inside}/other.xml`, `${url}/sitemap-ok.xml`, `http://[::1]:${canary.port}/x.xml`]),
    '/sitemap-ok.xml': writeSitemap([`${url}/ok`]),
  });
  try {
    await onSite(files, async (_site, paths) => {
      assert.deepEqual(await paths({ sitemap: 'only' }), ['/ok']);
      assert.deepEqual(canary.visits, []);
    });
  } finally {
    await canary.close();
  }
});
