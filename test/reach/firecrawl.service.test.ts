/** Firecrawl's own client against the service. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FirecrawlClient, SdkError } from 'firecrawl';
import { startRecordingSite } from '../support/recording-site.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';

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
    [{ onlyMainContent: false }, /onlyMainContent: only true is supported/],
    [{ headers: { Cookie: 'a=b' } }, /headers\.Cookie: must not be set/],
    [{ includeTags: ['main'] }, /includeTags: is not supported/],
    [{ location: { country: 'DE' } }, /location: is not supported/],
    [{ proxy: 'stealth' }, /proxy: must be one of/],
  ] as const) {
    const error = await refusal(client.scrape(url, options as never));
    assert.equal(error.status, 400, JSON.stringify(options));
    assert.equal(error.code, 'invalid_request');
    assert.match(error.message, name);
  }
  assert.equal(running.pages.hits('/article'), 1);
});

test("headers, device and age of Firecrawl's client reach the capture, and secrets are not logged", async () => {
  const site = await startRecordingSite();
  const { seen, url } = site;
  try {
    await client.scrape(url, { headers: { 'X-Token': 'very-secret' }, mobile: true });
    assert.equal(seen[0]?.['x-token'], 'very-secret');
    assert.match(seen[0]?.['user-agent'] ?? '', /Mobile/);
    assert.ok(!running.log.join('').includes('very-secret'));
    const first = await client.scrape(url, { maxAge: 60_000 });
    const second = await client.scrape(url, { maxAge: 60_000 });
    assert.equal(first.metadata?.cacheState, 'miss');
    assert.equal(second.metadata?.cacheState, 'hit');
    assert.equal(second.metadata?.scrapeId, first.metadata?.scrapeId);
    assert.equal((await client.scrape(url, { maxAge: 0 })).metadata?.cacheState, 'miss');
    assert.equal(seen.length, 3);
  } finally {
    site.close();
  }
});

test("failures of Firecrawl's interface have its format, and its client does not retry them", async () => {
  const missing = await refusal(client.scrape(`${running.pages.url}/missing`));
  assert.equal(missing.status, 500);
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

test("Firecrawl's client reads a batch of many pages over several answers", async () => {
  const urls = Array.from({ length: 120 }, (_, index) => `${running.pages.url}/article?page=${index}`);
  const { id } = await client.startBatchScrape(urls);
  const job = await waitForBatch(id);
  assert.deepEqual(
    job.data.map(({ metadata }) => metadata?.sourceURL),
    urls,
  );
  const first = await client.getBatchScrapeStatus(id, { autoPaginate: false });
  assert.equal(first.data.length, 50);
  assert.match(first.next ?? '', /\?skip=50$/);
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
    [{ options: { headers: { 'X-Token': 'secret' } } }, /headers: is not supported/],
    [{ zeroDataRetention: true }, /zeroDataRetention: only false is supported/],
    [{ options: { formats: ['rawHtml'] } }, /formats: rawHtml is not supported in batches/],
  ] as const) {
    assert.match((await refusal(client.startBatchScrape(urls, options as never))).message, name);
  }
  const invalid = await refusal(client.startBatchScrape([...urls, 'no url'], { ignoreInvalidURLs: false }));
  assert.match(invalid.message, /urls\[1\]: is not an absolute URL/);
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
  for (let tries = 0; tries < 100; tries++) {
    const { items } = await running.store.requests.list(projectId, { endpoint: '/v2/scrape' }, { limit: 200 });
    if (
      items.some((item) => item.url === url && item.code === 'ok') &&
      items.some(({ code }) => code === 'rate_limited')
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('not in the request log within 10 s');
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
