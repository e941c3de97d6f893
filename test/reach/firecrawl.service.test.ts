/** Firecrawl's own client against the service. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Firecrawl, FirecrawlClient, SdkError } from 'firecrawl';
import { startCrawlSite } from '../batches/crawl-site.ts';
import type { CrawlSite } from '../batches/crawl-site.ts';
import { startRecordingSite } from '../support/recording-site.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';
import { createCertificate } from '../site/certificate.ts';

let running: Running;
let client: FirecrawlClient;

before(async () => {
  running = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_HOST_SPACING: '0s' });
  client = connect(running);
});
after(() => running.close());

function connect({ url, secrets }: Running, apiKey = secrets.key_only): FirecrawlClient {
  return new FirecrawlClient({ apiUrl: url, apiKey });
}

/** Returns the error that the client throws. */
async function refusal(work: Promise<unknown>): Promise<SdkError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof SdkError, String(error));
    return error;
  }
  return assert.fail('not refused');
}

test("Firecrawl's client scrapes a page into a document", async () => {
  const url = `${running.pages.url}/article`;
  const document = await client.scrape(url, { formats: ['markdown', 'html', 'rawHtml', 'links', 'images'] });
  assert.match(document.markdown ?? '', /The harbour town keeps its old market/);
  assert.match(document.html ?? '', /<p>The harbour town/);
  assert.match(document.rawHtml ?? '', /<nav>/);
  assert.ok(document.links?.includes('https://example.org/away'));
  assert.deepEqual(document.images, [`${running.pages.url}/fish.png`]);
  const { metadata } = document;
  assert.equal(metadata?.title, 'The market by the harbour');
  assert.equal(metadata?.sourceURL, url);
  assert.equal(metadata?.statusCode, 200);
  assert.match(metadata?.scrapeId ?? '', /^dom_/);
});

// Checks: threat-hidden-text
test("Firecrawl's client gets only Markdown by default, without hidden text", async () => {
  const document = await client.scrape(`${running.pages.url}/hidden`);
  assert.deepEqual(Object.keys(document).toSorted(), ['markdown', 'metadata']);
  assert.ok(!JSON.stringify(document).includes('hidden from every reader'));
});

const CRAWLED = Array.from({ length: 12 }, (_, index) => (index === 5 ? '/docs/private' : `/docs/${index}`));

test("Firecrawl's client crawls a site with its default options, and reads what could not be read", async () => {
  const site = await startCrawlSite((path) => {
    if (path === '/robots.txt') return { text: 'User-agent: *\nDisallow: /docs/private\nDisallow: /docs/hidden' };
    if (path === '/docs/') return { links: [...CRAWLED, '/docs/gone', '/docs/to-hidden', '/other'] };
    if (path === '/docs/to-hidden') return { redirect: '/docs/hidden' };
    return path === '/docs/gone' || path === '/sitemap.xml' ? undefined : {};
  });
  try {
    const job = await client.crawl(`${site.url}/docs/`, { scrapeOptions: { formats: ['markdown', 'links'] } });
    assert.deepEqual([job.status, job.total, job.completed], ['completed', 14, 12]);
    assert.deepEqual(
      job.data.map(({ metadata }) => (metadata?.sourceURL ?? '').slice(site.url.length)).toSorted(),
      ['/docs/', ...CRAWLED.filter((path) => !path.endsWith('private'))].toSorted(),
    );
    assert.match(job.data[1]?.markdown ?? '', /what the page/);
    const { errors, robotsBlocked } = await client.getCrawlErrors(job.id);
    assert.deepEqual(
      [errors.map(({ url }) => url), robotsBlocked],
      [[`${site.url}/docs/gone`], [`${site.url}/docs/to-hidden`]],
    );
    const some = await client.crawl(`${site.url}/docs/`, {
      includePaths: ['^/docs/1.*$'],
      excludePaths: ['11'],
      crawlEntireDomain: true,
      sitemap: 'skip',
      maxDiscoveryDepth: 1,
    });
    assert.deepEqual(
      some.data.map(({ metadata }) => metadata?.sourceURL?.slice(site.url.length)),
      ['/docs/', '/docs/1', '/docs/10'],
    );
    const started = await client.startCrawl(`${site.url}/docs/`, { limit: 5 });
    assert.equal(started.url, `${running.url}/v2/crawl/${started.id}`);
    assert.equal(typeof (await client.cancelCrawl(started.id)), 'boolean');
    const seen: unknown[] = [];
    const watcher = client.watcher(job.id, { kind: 'crawl' });
    watcher.on('document', (document) => seen.push(document));
    watcher.on('error', (error: { readonly error: string }) => assert.fail(error.error));
    await watcher.start();
    assert.equal(seen.length, 12);
  } finally {
    await site.close();
  }
});

/** The first page and its two sub-pages, as the crawls below read them. */
async function startDocs(): Promise<CrawlSite> {
  return startCrawlSite((path) => {
    if (path === '/docs/') return { links: ['/docs/one', '/docs/two', '/other'] };
    return path === '/docs/one' || path === '/docs/two' || path === '/other' ? {} : undefined;
  });
}

test("LangChain's loader reads a site in its default mode, by the client of Firecrawl v1 that it comes with", async () => {
  const site = await startDocs();
  try {
    const { v1 } = new Firecrawl({ apiUrl: running.url, apiKey: running.secrets.key_only });
    const answer = await v1.crawlUrl(`${site.url}/docs/`, {});
    assert.ok(answer.success, JSON.stringify(answer));
    const documents = answer.data.map(({ markdown, html, metadata }) => ({ text: markdown || html || '', metadata }));
    assert.equal(documents.length, 3);
    for (const { text, metadata } of documents) {
      assert.match(text, /what the page \/docs/);
      assert.equal(metadata?.statusCode, 200);
    }
    // Newer loaders call the client of v2, and take any answer of it for a failure.
    const job = await new Firecrawl({ apiUrl: running.url, apiKey: running.secrets.key_only }).crawlUrl(
      `${site.url}/docs/`,
    );
    assert.deepEqual([job.status, job.data.length], ['completed', 3]);
  } finally {
    await site.close();
  }
});

interface CrawlStatus {
  readonly success: boolean;
  readonly status: string;
  readonly total: number;
  readonly completed: number;
  readonly data: readonly { readonly markdown?: string; readonly metadata: Readonly<Record<string, unknown>> }[];
}

/** Posts a crawl as a program without Firecrawl's client does, and asks for its state until it is completed. */
async function crawlByHand(body: object, key = running.secrets.key_only): Promise<CrawlStatus> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const created = await fetch(`${running.url}/v2/crawl`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { id, error } = (await created.json()) as { readonly id: string; readonly error?: string };
  assert.equal(created.status, 200, error);
  for (;;) {
    const answer = await fetch(`${running.url}/v2/crawl/${id}`, { headers });
    assert.equal(answer.status, 200);
    const status = (await answer.json()) as CrawlStatus;
    if (status.status === 'completed') return status;
    assert.equal(status.status, 'scraping');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("Dify's requests for one page and for its sub-pages give the fields that it reads", async () => {
  const site = await startDocs();
  try {
    const scrapeOptions = { onlyMainContent: true };
    const filters = { includePaths: [], excludePaths: [] };
    const one = await crawlByHand({ url: `${site.url}/docs/`, ...filters, limit: 1, scrapeOptions });
    assert.deepEqual([one.total, one.completed, one.data.length], [1, 1, 1]);
    const some = { includePaths: ['^/docs/t.*$'], excludePaths: ['one'], limit: 10, scrapeOptions };
    const pages = await crawlByHand({ url: `${site.url}/docs/`, ...some });
    assert.deepEqual(
      pages.data.map(({ metadata }) => [metadata['title'], metadata['sourceURL']]),
      [
        ['Page /docs/', `${site.url}/docs/`],
        ['Page /docs/two', `${site.url}/docs/two`],
      ],
    );
    assert.match(pages.data[1]?.markdown ?? '', /what the page \/docs\/two/);
    const map = await fetch(`${running.url}/v2/map`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.secrets.key_only}` },
      body: JSON.stringify({ url: `${site.url}/docs/`, integration: 'dify' }),
    });
    const { success, links } = (await map.json()) as { success: boolean; links: readonly { url: string }[] };
    assert.ok(success && links.some(({ url }) => url === `${site.url}/docs/one`));
    const refused = await fetch(`${running.url}/v2/crawl`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.secrets.key_only}` },
      body: JSON.stringify({ url: site.url, ...some, prompt: 'only the news' }),
    });
    const failure = (await refused.json()) as { readonly error?: unknown };
    // It shows this text.
    assert.equal(failure.error, 'prompt: only an empty one is supported by this service');
  } finally {
    await site.close();
  }
});

test('the Python SDK crawls with what it adds to the options of its user', async () => {
  const site = await startDocs();
  const flags = {
    ignoreQueryParameters: false,
    deduplicateSimilarURLs: true,
    crawlEntireDomain: false,
    allowExternalLinks: false,
    allowSubdomains: false,
    ignoreRobotsTxt: false,
    regexOnFullURL: false,
    zeroDataRetention: false,
  };
  const { origin, ...scrapeOptions } = PYTHON_OPTIONS;
  try {
    const url = `${site.url}/docs/`;
    assert.equal((await crawlByHand({ url, ...flags, origin })).data.length, 3);
    const some = await crawlByHand({ url, ...flags, origin, limit: 2, delay: 0, scrapeOptions });
    assert.equal(some.data.length, 2);
  } finally {
    await site.close();
  }
});

test('the node of n8n crawls with its defaults, and with all its options as they are preset', async () => {
  const site = await startDocs();
  const body = { integration: 'n8n', url: `${site.url}/docs/`, prompt: '', limit: 500, maxConcurrency: 100 };
  const scrapeOptions = {
    formats: ['markdown'],
    onlyMainContent: true,
    includeTags: [],
    excludeTags: [],
    headers: {},
    waitFor: 0,
    mobile: false,
    skipTlsVerification: false,
    timeout: 30_000,
    actions: [],
    removeBase64Images: true,
    blockAds: true,
    storeInCache: true,
    proxy: 'basic',
  };
  const crawlOptions = {
    ignoreSitemap: false,
    ignoreQueryParameters: false,
    allowExternalLinks: false,
    allowSubdomains: false,
  };
  try {
    assert.equal((await crawlByHand(body)).data.length, 3);
    const all = await crawlByHand({ ...body, ...crawlOptions, excludePaths: ['docs/two'], scrapeOptions });
    assert.deepEqual(
      all.data.map(({ metadata }) => metadata['title']),
      ['Page /docs/', 'Page /docs/one'],
    );
    const headers = { authorization: `Bearer ${running.secrets.key_only}`, accept: 'application/json' };
    const connected = await fetch(`${running.url}/v2/team/credit-usage`, { headers });
    assert.equal(connected.status, 200);
  } finally {
    await site.close();
  }
});

test('requests to upgrade are answered as usual, unless they are of a watcher', async () => {
  for (const [path, upgrade, status] of [
    ['/healthz', 'websocket', 200],
    ['/v2/crawl/unknown', 'h2c', 404],
    ['/v2/crawl/unknown', 'websocket', 101],
  ] as const) {
    const headers = { connection: 'Upgrade', upgrade, 'x-api-key': running.secrets.key_only };
    const asked = request(running.url + path, { headers }).end();
    const got = await Promise.race([once(asked, 'response'), once(asked, 'upgrade')]);
    const answer = got[0] as IncomingMessage;
    assert.equal(answer.statusCode, status, `${path} ${upgrade}`);
    answer.socket.destroy();
  }
});

test("what Firecrawl's crawl has and this service lacks is refused by name", async () => {
  const crawl = async (options: object): Promise<string> =>
    (await refusal(client.startCrawl('https://example.com/', options))).message;
  assert.match(
    await crawl({ includePaths: ['/a', '/(a|b)+$'] }),
    /includePaths\[1\]: of regular expressions this service knows/,
  );
  assert.match(await crawl({ excludePaths: [String.raw`\d+`] }), /excludePaths\[0\]: of regular/);
  assert.match(await crawl({ limit: 0 }), /limit: /);
  assert.match(await crawl({ allowExternalLinks: true }), /allowExternalLinks: only false is supported/);
  assert.match(await crawl({ delay: 61 }), /delay: /);
  assert.match(await crawl({ maxConcurrency: 1 }), /maxConcurrency: only 8 or more is supported/);
  assert.match(await crawl({ prompt: 'only news' }), /prompt: only an empty one is supported/);
  assert.match(await crawl({ webhook: 'https://example.org/' }), /webhook: is not supported/);
});

// Checks: threat-facade-bypass
test("Firecrawl's options that this service lacks are refused by name", async () => {
  const url = `${running.pages.url}/article`;
  for (const [options, name] of [
    [{ formats: ['summary'] }, /formats\[0\]: summary is not supported/],
    [{ formats: [{ type: 'screenshot', quality: 50 }] }, /formats\[0\]\.quality: is not supported/],
    [
      { formats: ['links', { type: 'screenshot', viewport: { width: 100, height: 100 } }] },
      /formats\[1\]\.viewport: is not supported/,
    ],
    [{ formats: [{ type: 'screenshot', fullPage: 'yes' }] }, /formats\[0\]: screenshot is not supported in this form/],
    [{ formats: [{ type: 'json', prompt: 'Find the price' }] }, /formats\[0\]: json is not supported/],
    [{ actions: [{ type: 'wait', milliseconds: 10 }] }, /actions: is not supported/],
    [{ headers: { Host: 'example.org' } }, /^headers\.Host: must not be set/],
    [{ headers: { Cookie: 'a' } }, /^headers\.Cookie\[0\]\.name: must be the name of a cookie/],
    [{ headers: { 'User-Agent': 'ä' } }, /^headers\.User-Agent: must be printable ASCII/],
    [{ includeTags: ['p[[['] }, /^includeTags\[0\]: is not a CSS selector/],
    [{ excludeTags: Array(21).fill('p') }, /^excludeTags: must have at most 20/],
    [{ waitFor: 500, timeout: 400 }, /^waitFor: must be less than timeout, which is 400/],
    [{ location: { country: 'DE' } }, /^location\.country: is not supported/],
    [{ location: { languages: ['not a language'] } }, /location\.languages: must be the value of an Accept-Language/],
    [{ parsers: [] }, /^parsers: must have pdf/],
    [{ parsers: [{ type: 'pdf', maxPages: 2 }] }, /^parsers\[0\]/],
    [{ proxy: 'stealth' }, /proxy: must be one of/],
  ] as const) {
    const error = await refusal(client.scrape(url, options as never));
    assert.equal(error.status, 400, JSON.stringify(options));
    assert.equal(error.code, 'invalid_request');
    assert.match(error.message, name);
  }
  assert.equal(running.pages.hits('/article'), 1);
});

test("Firecrawl's client chooses elements or the whole page, and an address may lack its scheme", async () => {
  const url = `${running.pages.url}/hidden`;
  const whole = await client.scrape(url, { onlyMainContent: false });
  assert.match(whole.markdown ?? '', /\[Contact\]\(.*The harbour town keeps its old market/s);
  assert.ok(!whole.markdown?.includes('hidden from every reader'));
  const chosen = await client.scrape(url, {
    onlyMainContent: false,
    includeTags: ['nav'],
    excludeTags: ['a[href="/"]'],
  });
  assert.match(chosen.markdown ?? '', /^\[Contact\]\([^)]*\)$/);
  const withoutScheme = await refusal(client.scrape('pages.invalid/x'));
  assert.equal(withoutScheme.code, 'dns_failed');
  assert.match((await refusal(client.scrape('no address'))).message, /^url: is not an absolute URL/);
});

/** What the Python SDK adds to the options of its user. */
const PYTHON_OPTIONS = {
  onlyMainContent: true,
  mobile: false,
  skipTlsVerification: true,
  removeBase64Images: true,
  fastMode: false,
  blockAds: true,
  maxAge: 14_400_000,
  storeInCache: true,
  origin: 'python-sdk@4.47.0',
};

/** Sends a request as the Python SDK does; `path` may be an address. */
async function callAsPython(path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(new URL(path, running.url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${running.secrets.key_only}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('options that the Python SDK sends by itself are accepted, and it loses no document of a batch', async () => {
  const url = `${running.pages.url}/article?python`;
  for (const cacheState of ['miss', 'hit']) {
    const scraped = await callAsPython('/v2/scrape', { url, formats: ['markdown'], ...PYTHON_OPTIONS });
    assert.equal(scraped.status, 200, JSON.stringify(scraped.body));
    assert.equal((scraped.body['data'] as { metadata: { cacheState: string } }).metadata.cacheState, cacheState);
  }
  const urls = [url, ...Array.from({ length: 59 }, (_, index) => `${url}${index}`)];
  const { body: started } = await callAsPython('/v2/batch/scrape', { urls, formats: ['markdown'], ...PYTHON_OPTIONS });
  await waitForBatch(String(started['id']));
  // The SDK 3.3 does not follow `next`.
  const { body: job } = await callAsPython(`/v2/batch/scrape/${String(started['id'])}`);
  const data = job['data'] as { metadata: { sourceURL: string } }[];
  assert.deepEqual(
    data.map(({ metadata }) => metadata.sourceURL),
    urls,
  );
  assert.equal('next' in job, false);
  const { body: rest } = await callAsPython(`/v2/batch/scrape/${String(started['id'])}?skip=40`);
  assert.equal((rest['data'] as unknown[]).length, 20);
  assert.equal(running.pages.hits('/article?python'), 1);
});

test("a failed check of a certificate names Firecrawl's option", async () => {
  const { key, cert } = await createCertificate(['localhost']);
  const site = https.createServer({ key, cert }, (_, response) => response.end()).listen(0, '127.0.0.1');
  try {
    await once(site, 'listening');
    const url = `https://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const failed = await refusal(client.scrape(url, { skipTlsVerification: true }));
    assert.equal(failed.code, 'tls_failed');
    assert.match(failed.message, /skipTlsVerification has no effect here/);
  } finally {
    site.close();
  }
});

test("headers, device and age of Firecrawl's client reach the capture, and secrets are not logged", async () => {
  const site = await startRecordingSite();
  const { seen, url } = site;
  try {
    await client.scrape(url, { headers: { 'X-Token': 'very-secret' }, mobile: true });
    assert.equal(seen[0]?.['x-token'], 'very-secret');
    assert.match(seen[0]?.['user-agent'] ?? '', /Mobile/);
    const first = await client.scrape(url, { maxAge: 60_000 });
    const second = await client.scrape(url, { maxAge: 60_000 });
    assert.equal(first.metadata?.cacheState, 'miss');
    assert.equal(second.metadata?.cacheState, 'hit');
    assert.equal(second.metadata?.scrapeId, first.metadata?.scrapeId);
    assert.equal((await client.scrape(url, { maxAge: 0 })).metadata?.cacheState, 'miss');
    assert.equal(seen.length, 3);
    const headers = { Cookie: 'a=1; b="2"', 'Accept-Language': 'fr', 'user-agent': 'Reader/1' };
    await client.scrape(url, { headers, location: { languages: ['de-CH', 'de'] } });
    const { cookie, 'accept-language': language, 'user-agent': agent } = seen[3] ?? {};
    assert.deepEqual([cookie, language, agent], ['a=1; b="2"', 'fr', 'Reader/1']);
    await client.scrape(url, { location: { languages: ['de-CH', 'de'] }, parsers: ['pdf'] });
    assert.equal(seen[4]?.['accept-language'], 'de-CH,de');
    const { id } = await client.startBatchScrape([url], {
      options: { headers: { 'X-Token': 'very-secret', Cookie: 'a=very-secret' }, timeout: 20_000 },
    });
    assert.equal((await waitForBatch(id)).completed, 1);
    assert.equal(seen.at(-1)?.['x-token'], 'very-secret');
    assert.equal(seen.at(-1)?.cookie, 'a=very-secret');
    assert.ok(!running.log.join('').includes('very-secret'));
    const { items } = await running.store.requests.list(running.projectId, {}, { limit: 200 });
    for (const item of items) {
      const entry = await running.store.requests.find(running.projectId, item.id);
      assert.ok(!JSON.stringify(entry).includes('very-secret'));
    }
  } finally {
    site.close();
  }
});

test("failures of Firecrawl's interface have its format, and its client does not retry them", async () => {
  const missing = await refusal(client.scrape(`${running.pages.url}/missing`));
  assert.equal(missing.status, 422);
  assert.equal(missing.code, 'http_status_not_ok');
  assert.equal((missing.details as { upstream_status_code: number }).upstream_status_code, 404);
  assert.equal(running.pages.hits('/missing'), 1);
  const late = await refusal(client.scrape(`${running.pages.url}/hang`, { timeout: 300, autoResume: false }));
  assert.equal(late.status, 408);
  assert.equal(late.code, 'SCRAPE_TIMEOUT');
  const stranger = await refusal(connect(running, `wk_${'a'.repeat(32)}`).scrape(`${running.pages.url}/article`));
  assert.equal(stranger.status, 401);
  assert.equal(stranger.code, 'unauthorized');
});

test("Firecrawl's client reads a batch with its failures and its skipped addresses", async () => {
  const { url } = running.pages;
  const urls = [`${url}/article`, 'not a url', `${url}/missing`, `${url}/redirect`];
  const options = { formats: ['markdown' as const, 'links' as const] };
  const started = await client.startBatchScrape(urls, { options, idempotencyKey: 'once' });
  assert.deepEqual(started.invalidURLs, ['not a url']);
  assert.equal(started.url, `${running.url}/v2/batch/scrape/${started.id}`);
  assert.equal((await client.startBatchScrape(urls, { options, idempotencyKey: 'once' })).id, started.id);
  const job = await waitForBatch(started.id);
  assert.equal(job.status, 'completed');
  assert.equal(job.total, 3);
  assert.equal(job.completed, 2);
  assert.deepEqual(
    job.data.map(({ metadata }) => metadata?.sourceURL),
    [`${url}/article`, `${url}/redirect`],
  );
  for (const document of job.data) {
    assert.match(document.markdown ?? '', /The harbour town/);
    assert.ok(document.links);
    assert.equal(document.html, undefined);
  }
  const { errors } = await client.getBatchScrapeErrors(started.id);
  assert.deepEqual(
    errors.map((error) => [error.url, error.code]),
    [[`${url}/missing`, 'http_status_not_ok']],
  );
});

async function waitForBatch(id: string) {
  for (;;) {
    const job = await client.getBatchScrapeStatus(id);
    if (job.status !== 'scraping') return job;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function readState(id: string): Promise<string> {
  const { body } = await callAsPython(`/v1/batches/${id}`);
  return (body['batch'] as { state: string }).state;
}

test("Firecrawl's client reads large documents of a batch over several answers", async () => {
  // Long addresses cost the extraction little.
  const links = Array.from({ length: 850 }, (_, index) => `<a href="/${index}?${'a'.repeat(7000)}">${index}</a>`);
  const text = 'The harbour town keeps its old market, and the fishermen sell there. '.repeat(20);
  const page = `<!doctype html><title>Large</title><nav>${links.join('')}</nav><article><p>${text}</p></article>`;
  const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
  site.listen(0, '127.0.0.1');
  try {
    await once(site, 'listening');
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const urls = ['one', 'two', 'three'].map((name) => url + name);
    const { id } = await client.startBatchScrape(urls, { options: { formats: ['markdown', 'links'] } });
    // Its state alone is small.
    while ((await readState(id)) === 'running') await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await client.getBatchScrapeStatus(id)).data.length, 3);
    const first = await client.getBatchScrapeStatus(id, { autoPaginate: false });
    assert.equal(first.data.length, 2);
    assert.equal(first.next, `${running.url}/v2/batch/scrape/${id}?skip=2`);
  } finally {
    site.close();
  }
});

// Checks: threat-facade-bypass
test("Firecrawl's client can cancel a batch, and cannot see one of another project", async () => {
  const { id } = await client.startBatchScrape([`${running.pages.url}/hang`]);
  const projectId = 'prj_01J00000000000000000000008';
  await running.store.projects.insert({ id: projectId, name: 'foreign', createdAt: new Date(), archivedAt: null });
  const foreign = connect(running, await running.addKey({ projectId, kind: 'key_only' }));
  for (const work of [
    () => foreign.getBatchScrapeStatus(id),
    () => foreign.cancelBatchScrape(id),
    () => foreign.getBatchScrapeErrors(id),
  ]) {
    const error = await refusal(work());
    assert.equal(error.status, 404);
    assert.equal(error.code, 'not_found');
  }
  assert.equal(await client.cancelBatchScrape(id), true);
  assert.equal((await client.getBatchScrapeStatus(id)).status, 'cancelled');
});

test('batch options of Firecrawl that this service lacks are refused by name', async () => {
  const urls = [`${running.pages.url}/article`];
  for (const [options, name] of [
    [{ webhook: 'https://example.org/hook' }, /webhook: is not supported/],
    [{ appendToId: 'x' }, /appendToId: is not supported/],
    [{ maxConcurrency: 3 }, /maxConcurrency: is not supported/],
    [{ zeroDataRetention: true }, /zeroDataRetention: only false is supported/],
    [{ options: { formats: ['rawHtml'] } }, /formats: rawHtml is not supported in batches/],
  ] as const) {
    assert.match((await refusal(client.startBatchScrape(urls, options as never))).message, name);
  }
  const headers = { 'X-Token': 'secret' };
  const sites = await refusal(client.startBatchScrape([...urls, 'http://example.org/'], { options: { headers } }));
  assert.match(sites.message, /^headers, headers\.Cookie: all urls of the batch must be of one site/);
  const invalid = await refusal(client.startBatchScrape([...urls, 'no url'], { ignoreInvalidURLs: false }));
  assert.match(invalid.message, /urls\[1\]: is not an absolute URL/);
});

test("paths that this service lacks are refused in Firecrawl's format, with what to use instead", async () => {
  for (const [work, instead] of [
    [() => client.search('fish'), /web search is not supported/],
    [() => client.extract({ urls: ['https://example.com/'] }), /no language model is called/],
    [() => client.getQueueStatus(), /credit-usage/],
    [() => client.getTokenUsage(), /credit-usage/],
    [() => client.getActiveCrawls(), /there is no batch active/],
  ] as const)
    assert.match((await refusal(work())).message, instead);
  for (const [path, status] of [
    ['/v1/search', 404],
    ['/v1/crawl', 405],
    ['/v1/batch/x', 404],
    ['/v2', 404],
    ['/v2/scrape', 405],
  ] as const) {
    const answer = await callAsPython(path);
    assert.equal(answer.status, status, path);
    assert.equal(answer.body['success'], false, path);
    assert.equal(typeof answer.body['error'], 'string', path);
  }
});

test("Firecrawl's client reads the quota of its key and how many requests run", async () => {
  const { remainingCredits } = await client.getCreditUsage();
  assert.equal(remainingCredits, Number.MAX_SAFE_INTEGER);
  const { projectId } = running;
  const limited = connect(running, await running.addKey({ projectId, kind: 'key_only', quotaPerMinute: 60 }));
  const usage = await limited.getCreditUsage();
  assert.deepEqual([usage.remainingCredits, usage.planCredits], [59, 60]);
  const idle = await limited.getConcurrency();
  assert.equal(idle.concurrency, 0);
  const waiting = limited.scrape(`${running.pages.url}/gate`);
  while (running.pages.hits('/gate') === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await client.getConcurrency()).concurrency, 1);
  assert.ok(idle.maxConcurrency >= 1);
  running.pages.openGate();
  await waiting;
});

test("Firecrawl's client of v1 scrapes, maps and reads a batch", async () => {
  const { v1 } = new Firecrawl({ apiUrl: running.url, apiKey: running.secrets.key_only });
  const url = `${running.pages.url}/article`;
  const scraped = await v1.scrapeUrl(url, { formats: ['markdown', 'links'], onlyMainContent: false, parsePDF: true });
  assert.ok(scraped.success);
  assert.match(scraped.markdown ?? '', /\[Contact\]\(.*The harbour town/s);
  const mapped = await v1.mapUrl(url, { ignoreSitemap: true });
  assert.ok(mapped.success && mapped.links?.includes(`${running.pages.url}/more`), JSON.stringify(mapped));
  const batch = await v1.batchScrapeUrls([url, `${running.pages.url}/missing`], { formats: ['markdown'] });
  assert.ok(batch.success);
  assert.equal(batch.data.length, 1);
  const started = await v1.asyncBatchScrapeUrls([url], {});
  assert.ok(started.success);
  assert.equal(started.url, `${running.url}/v1/batch/scrape/${started.id}`);
  const state = await v1.checkBatchScrapeStatus(started.id, true);
  assert.ok(state.success && state.total === 1);
  await assert.rejects(v1.scrapeUrl(`${running.pages.url}/missing`, {}), /status 404/);
  await assert.rejects(v1.scrapeUrl(url, { includeTags: ['p[[['] }), /includeTags\[0\]: is not a CSS selector/);
  const crawl = await v1.crawlUrl(`${running.pages.url}/`, { limit: 2, ignoreSitemap: true, maxDepth: 2 });
  assert.ok(crawl.success, JSON.stringify(crawl));
  assert.deepEqual([crawl.status, crawl.total], ['completed', 1]);
});

// Checks: threat-facade-bypass
test('requests of the Firecrawl interface count against the quota, and are in the request log', async () => {
  const { projectId } = running;
  const secret = await running.addKey({ projectId, kind: 'key_only', name: 'one a minute', quotaPerMinute: 1 });
  const limited = connect(running, secret);
  const url = `${running.pages.url}/article?logged`;
  await limited.scrape(url);
  const error = await refusal(limited.scrape(url));
  assert.equal(error.status, 429);
  assert.equal(error.code, 'rate_limited');
  for (;;) {
    const { items } = await running.store.requests.list(projectId, { endpoint: '/v2/scrape' }, { limit: 200 });
    if (
      items.some((item) => item.url === url && item.code === 'ok') &&
      items.some(({ code }) => code === 'rate_limited')
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

// Checks: threat-facade-bypass
test('the Firecrawl interface reaches no refused address', async () => {
  const canary = await startCanary();
  const guarded = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_EGRESS_ALLOW: '' });
  try {
    const guardedClient = connect(guarded);
    const urls = [`http://127.0.0.1:${canary.port}/`, `http://localhost:${canary.port}/`];
    for (const url of urls)
      assert.match((await refusal(guardedClient.scrape(url))).code ?? '', /url_not_allowed|egress_denied/);
    const { id } = await guardedClient.startBatchScrape(urls);
    while ((await guardedClient.getBatchScrapeStatus(id)).status === 'scraping')
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await guardedClient.getBatchScrapeErrors(id)).errors.length, 2);
    assert.deepEqual(canary.visits, []);
  } finally {
    await guarded.close();
    await canary.close();
  }
});
