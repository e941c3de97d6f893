/** `/v1/crawls` end to end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchBody, BatchLine } from '@winnow/contract';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startCrawlSite } from './crawl-site.ts';
import type { CrawlSite } from './crawl-site.ts';

let running: Running;
let site: CrawlSite;

/** A small site with everything that makes crawls hard. */
const PAGES: Readonly<Record<string, object>> = {
  '/': {
    links: [
      '/a?utm_source=news#top',
      '/a',
      '/docs/',
      '/old',
      '/private/1',
      '/blog/1',
      'https://elsewhere.example/',
      'mailto:a@example.com',
      '/gone',
    ],
  },
  '/a': { links: ['/', '/a/', '/b?sid=0123456789abcdef0123', '/sorted?by=name', '/sorted'] },
  '/b': { links: ['/c'] },
  '/c': { links: ['/d'] },
  '/d': {},
  '/old': { redirect: '/a' },
  '/docs/': { links: ['/docs/one', '/docs/two', '/a'] },
  '/docs/one': {},
  '/docs/two': {},
  '/blog/1': { links: ['/blog/2', '/loop'] },
  '/blog/2': {},
  '/loop': { redirect: '/loop' },
  '/sorted?by=name': { canonical: '/sorted' },
  '/sorted': {},
  '/leave/': { links: ['/leave/in', '/leave/out', '/a'] },
  '/leave/in': {},
  '/leave/out': { redirect: '/outside' },
  '/outside': { links: ['/leave/hidden'] },
  '/guide': { redirect: '/guide/intro' },
  '/guide/intro': { links: ['/guide/next', '/b'] },
  '/guide/next': {},
  '/listed': {},
  '/robots.txt': { text: 'User-agent: *\nDisallow: /private/\n' },
};

before(async () => {
  site = await startCrawlSite((path, url) => {
    if (path === '/sitemap.xml')
      return { text: `<urlset><url><loc>${url}/listed</loc></url><url><loc>${url}/b</loc></url></urlset>` };
    // An endless calendar, and a page with more links than are read.
    if (path.startsWith('/calendar/')) return { links: [`/calendar/${Number(path.slice(10)) + 1}`] };
    if (path === '/many') return { links: Array.from({ length: 12_000 }, (_, index) => `/many/${index}/`) };
    if (path === '/deep' || path.startsWith('/x/')) return { links: [`/x${path}`] };
    return PAGES[path];
  });
  running = await startRunning();
});
after(async () => {
  await running.close();
  await site.close();
});

type Created = { readonly status: number; readonly batch: BatchBody; readonly message: string };

async function start(body: object, headers: Record<string, string> = {}): Promise<Created> {
  const options = { engine_preference: 'http' };
  const { status, body: answer } = await running.call('/v1/crawls', { options, ...body }, { headers });
  const { batch, error } = answer as unknown as { batch: BatchBody; error?: { message: string } };
  return { status, batch, message: error?.message ?? '' };
}

interface Crawled {
  readonly batch: BatchBody;
  readonly skipped: Readonly<Record<string, number>>;
  /** Paths of the pages with a result. */
  readonly paths: readonly string[];
  readonly lines: readonly BatchLine[];
}

async function crawl(body: object): Promise<Crawled> {
  const created = await start(body);
  assert.equal(created.status, 200, created.message);
  assert.equal(created.batch.kind, 'crawl');
  return finish(created.batch.id);
}

async function finish(id: string): Promise<Crawled> {
  for (;;) {
    const answer = await running.call(`/v1/batches/${id}`, undefined, { method: 'GET' });
    const { batch } = answer.body as unknown as { batch: BatchBody };
    if (batch.state !== 'running') return { batch, skipped: batch.crawl?.skipped ?? {}, ...(await readPages(id)) };
    await sleep(50);
  }
}

async function readPages(id: string): Promise<Pick<Crawled, 'paths' | 'lines'>> {
  const headers = { 'X-API-Key': running.secrets.key_only };
  const text = await (await fetch(`${running.url}/v1/batches/${id}/results`, { headers })).text();
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as BatchLine]));
  const paths = lines.filter(({ result }) => result).map(({ url = '' }) => url.slice(site.url.length));
  return { paths: paths.toSorted(), lines };
}

test('a crawl reads every page of the host once, by links and sitemap, and tells what it left out', async () => {
  site.served.clear();
  const { batch, paths, skipped, lines } = await crawl({ url: `${site.url}/`, formats: ['markdown'] });
  const wanted = ['/', '/a', '/b', '/blog/1', '/blog/2', '/c', '/d', '/docs/', '/docs/one', '/docs/two', '/listed'];
  assert.deepEqual(paths, [...wanted, '/old', '/sorted', '/sorted?by=name']);
  const once = [...site.served].filter(([path]) => path !== '/robots.txt' && path !== '/loop' && path !== '/a');
  assert.deepEqual(
    once.filter(([, count]) => count > 1),
    [],
  );
  assert.equal(site.served.get('/a'), 2, 'by its own address, and as the target of a redirect');
  const failed = lines.flatMap(({ url = '', error }) => (error ? [new URL(url).pathname] : []));
  assert.deepEqual(failed.toSorted(), ['/gone', '/loop']);
  assert.deepEqual(skipped, { robots: 1, scope: 1, depth: 0, limit: 0, duplicate: 2, trap: 0, unread: 0 });
  assert.equal(batch.total, 16);
  assert.equal(batch.crawl?.url, `${site.url}/`);
  assert.equal(typeof lines[0]?.result?.markdown, 'string');
});

test('limit, depth, scope and globs bound a crawl', async () => {
  const url = `${site.url}/`;
  const limited = await crawl({ url, limit: 3, sitemap: 'skip' });
  assert.equal(limited.batch.total, 3);
  assert.equal(limited.skipped['limit'], 8);
  const shallow = await crawl({ url, max_depth: 1, sitemap: 'skip', exclude: ['/docs*'] });
  assert.deepEqual(shallow.paths, ['/', '/a', '/blog/1', '/old']);
  assert.deepEqual([shallow.skipped['depth'], shallow.skipped['scope']], [8, 2]);
  const below = await crawl({ url: `${site.url}/docs`, scope: 'path' });
  assert.deepEqual(below.paths, []);
  const docs = await crawl({ url: `${site.url}/docs/`, scope: 'path' });
  assert.deepEqual(docs.paths, ['/docs/', '/docs/one', '/docs/two']);
  const chosen = await crawl({ url, include: ['/docs/*', '/blog/2'], sitemap: 'skip' });
  assert.deepEqual(chosen.paths, ['/', '/docs/', '/docs/one', '/docs/two']);
  const mapped = await crawl({ url, sitemap: 'only' });
  assert.deepEqual(mapped.paths, ['/', '/b', '/listed']);
});

test('a page that redirects out of the crawl is not kept, counts as such, and leads on to nothing', async () => {
  const { paths, skipped, lines } = await crawl({ url: `${site.url}/leave/`, scope: 'path', sitemap: 'skip' });
  assert.deepEqual(paths, ['/leave/', '/leave/in']);
  assert.equal(skipped['scope'], 2, 'a link and a redirect');
  const { error, result } = lines.find(({ url = '' }) => url.endsWith('/leave/out')) ?? {};
  assert.deepEqual([error?.code, error?.stage, result], ['out_of_scope', 'fetch', undefined]);
  assert.match(error?.message ?? '', /redirected to .*\/outside, which is outside the crawl/);
  assert.equal(site.served.get('/leave/hidden'), undefined);
});

test('pages are read one after the other with the delay of the crawl, or that of robots.txt if it is longer', async (t) => {
  const slow = await startCrawlSite((path) => {
    if (path === '/robots.txt') return { text: 'User-agent: *\nCrawl-delay: 0.3\n' };
    return path === '/' ? { links: ['/1', '/2'] } : { links: [] };
  });
  t.after(() => slow.close());
  const readGaps = async (body: object): Promise<number[]> => {
    slow.visits.length = 0;
    await crawl({ url: `${slow.url}/`, sitemap: 'skip', ...body });
    const pages = slow.visits.filter(({ path }) => path !== '/robots.txt');
    return pages.slice(1).map(({ start: begin }, index) => begin - (pages[index]?.end ?? 0));
  };
  const [first, second] = [await readGaps({ delay: 0.1 }), await readGaps({ delay: 0.5, respect_robots: false })];
  assert.deepEqual([first.length, second.length], [2, 2]);
  assert.ok(Math.min(...first) >= 300, String(first));
  assert.ok(Math.min(...second) >= 500, String(second));
});

test('a crawl that names an earlier one says what is new, changed, unchanged and gone', async (t) => {
  let version = 1;
  const shop = await startCrawlSite((path) => {
    const isLater = version === 2;
    if (path === '/')
      return {
        links: isLater ? ['/same', '/other', '/fresh', '/gone'] : ['/same', '/other', '/gone', '/lost', '/out'],
      };
    if (path === '/same') return {};
    if (path === '/other') return { note: isLater ? 'Open until six.' : 'Open until five.' };
    if (path === '/fresh') return isLater ? {} : undefined;
    if (path === '/out' && isLater) return { redirect: 'http://elsewhere.example/' };
    if (path === '/gone' || path === '/out') return isLater ? undefined : {};
    // No page links to it any more.
    return path === '/lost' ? {} : undefined;
  });
  t.after(() => shop.close());
  const body = { url: `${shop.url}/`, sitemap: 'skip' };
  const first = await crawl(body);
  assert.deepEqual([first.batch.crawl?.since, first.batch.crawl?.changes], [null, null]);
  version = 2;
  const second = await crawl({ ...body, since: first.batch.id });
  const changes = new Map(second.lines.map(({ url = '', change }) => [new URL(url).pathname, change]));
  const states = Object.fromEntries([...changes].map(([path, change]) => [path, change?.state]));
  assert.deepEqual(states, {
    '/': 'unchanged',
    '/same': 'unchanged',
    '/other': 'changed',
    '/fresh': 'new',
    '/gone': 'gone',
    '/lost': 'unchanged',
    // The redirect leads to a host that is not known.
    '/out': undefined,
  });
  assert.match(changes.get('/other')?.diff ?? '', /^@@ .*\n(?: \n)?-.*five\.\n\+.*six\.\n/m);
  assert.equal(changes.get('/same')?.diff, undefined);
  const earlier = first.lines.find(({ url = '' }) => url.endsWith('/same'))?.metadata?.fetched_at;
  assert.equal(changes.get('/same')?.fetched_before, earlier);
  assert.deepEqual(second.batch.crawl?.changes, { new: 1, changed: 1, unchanged: 3, gone: 1, unknown: 0 });
  assert.equal(second.batch.crawl?.since, first.batch.id);
  await running.call(`/v1/crawls/${first.batch.id}`, undefined, { method: 'DELETE' });
  const answer = await start({ ...body, since: first.batch.id });
  assert.equal(answer.status, 400);
  assert.match(answer.message, /^since: there is no crawl bat_\w+ in this project; .* expired/);
});

test('a crawl with an earlier one that is deleted meanwhile says that pages cannot be compared', async (t) => {
  const gates: (() => void)[] = [];
  let isHeld = false;
  const shop = await startCrawlSite((path) => (path === '/' ? { links: ['/a'] } : { isHeld }), 0, gates);
  t.after(() => shop.close());
  const body = { url: `${shop.url}/`, sitemap: 'skip', respect_robots: false };
  const first = await crawl(body);
  isHeld = true;
  const { batch } = await start({ ...body, since: first.batch.id });
  while (gates.length === 0) await sleep(10);
  await running.call(`/v1/crawls/${first.batch.id}`, undefined, { method: 'DELETE' });
  for (const open of gates) open();
  const { lines } = await finish(batch.id);
  assert.deepEqual(
    lines.map(({ change }) => change?.state),
    ['unchanged', 'unknown'],
  );
});

test('the folder of a crawl stays where it is if its start page redirects into it', async () => {
  const { batch, paths } = await crawl({ url: `${site.url}/guide`, scope: 'path', sitemap: 'skip' });
  assert.deepEqual([batch.crawl?.url, paths], [`${site.url}/guide`, ['/guide', '/guide/next']]);
});

// Checks: threat-crawl-traps
test('traps end: repeated paths, endless calendars, and pages with too many links', async () => {
  const deep = await crawl({ url: `${site.url}/deep`, sitemap: 'skip', max_depth: 50 });
  assert.deepEqual(deep.paths, ['/deep', '/x/deep', '/x/x/deep']);
  assert.equal(deep.skipped['trap'], 1);
  const calendar = await crawl({ url: `${site.url}/calendar/1`, sitemap: 'skip', max_depth: 4 });
  assert.deepEqual([calendar.batch.total, calendar.skipped['depth']], [5, 1]);
  const many = await crawl({ url: `${site.url}/many`, sitemap: 'skip', limit: 2 });
  assert.deepEqual([many.batch.total, many.skipped['limit'], many.skipped['trap']], [2, 11_999, 0]);
});

test('a cancelled crawl finds nothing more, and a repeated key returns the first crawl', async () => {
  const body = { url: `${site.url}/calendar/1`, sitemap: 'skip', max_depth: 100 };
  const { batch } = await start(body, { 'Idempotency-Key': 'crawl-1' });
  await running.call(`/v1/batches/${batch.id}/cancel`, {});
  assert.equal((await start(body, { 'Idempotency-Key': 'crawl-1' })).batch.id, batch.id);
  assert.equal((await start({ ...body, limit: 5 }, { 'Idempotency-Key': 'crawl-1' })).status, 409);
  const { total } = (await finish(batch.id)).batch;
  await sleep(300);
  const later = (await finish(batch.id)).batch;
  assert.deepEqual([later.total, later.counts.queued], [total, 0]);
});

test('a crawl is read, cancelled and deleted at its own address, where another batch is unknown', async () => {
  const { batch } = await start({ url: `${site.url}/calendar/1`, sitemap: 'skip', max_depth: 100 });
  const address = `/v1/crawls/${batch.id}`;
  const cancelled = await running.call(`${address}/cancel`, {});
  assert.equal((cancelled.body as unknown as { batch: BatchBody }).batch.state, 'cancelled');
  await finish(batch.id);
  const read = await running.call(address, undefined, { method: 'GET' });
  assert.equal((read.body as unknown as { batch: BatchBody }).batch.kind, 'crawl');
  const headers = { 'X-API-Key': running.secrets.key_only };
  assert.equal((await fetch(`${running.url}${address}/results`, { headers })).status, 200);
  assert.equal((await running.call(address, undefined, { method: 'DELETE' })).status, 200);
  assert.equal((await running.call(address, undefined, { method: 'GET' })).status, 404);
  const other = await running.call('/v1/batches', { urls: [`${site.url}/a`] });
  const { id } = (other.body as unknown as { batch: BatchBody }).batch;
  const unknown = await running.call(`/v1/crawls/${id}`, undefined, { method: 'DELETE' });
  assert.deepEqual([unknown.status, unknown.body.error?.message], [404, `there is no crawl ${id}`]);
});

test('what cannot be crawled is refused with the name of the field', async () => {
  const url = `${site.url}/`;
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ url, limit: 0 }, /^limit: /],
    [{ url, max_depth: -1 }, /^max_depth: /],
    [{ url: 'no address' }, /^url: is not an absolute URL/],
    [{ url, include: ['blog/*'] }, /^include\[0\]: must start with \/ or \*/],
    [{ url, exclude: [`/${'*a'.repeat(200)}`] }, /^exclude\[0\]: must have at most 200 characters/],
    [{ url, scope: 'web' }, /^scope: /],
    [{ url, delay: 61 }, /^delay: /],
    [{ url, urls: [url] }, /urls/],
  ];
  for (const [body, message] of cases) {
    const answer = await start(body);
    assert.equal(answer.status, 400);
    assert.match(answer.message, message);
  }
});
