/** Screenshots for Firecrawl's own client. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FirecrawlClient } from 'firecrawl';
import { pngSize } from '../screenshots/picture-size.ts';
import { startServiceWithFiles } from '../documents/service-with-files.ts';

const { running, files, close } = await startServiceWithFiles({ WINNOW_HOST_SPACING: '0s' });
after(close);
const client = new FirecrawlClient({ apiUrl: running.url, apiKey: running.secrets.key_only });

const SENTENCE = '<p>The harbour town keeps its old market, and the fishermen sell there every morning.</p>';
const TALL = `<!doctype html><title>Tall</title><body style="margin:0"><h1>The market</h1>${SENTENCE.repeat(8)}<div style="height:3000px">x</div>`;

const addPage = (name: string): string => files.add(`/${name}`, TALL, 'text/html; charset=utf-8');

function readDataUri(uri: string | undefined): Buffer {
  const [, base64 = ''] = /^data:image\/png;base64,([A-Za-z0-9+/=]+)$/.exec(uri ?? '') ?? [];
  return Buffer.from(base64, 'base64');
}

test("Firecrawl's client gets a screenshot of the first screen as a data URI", async () => {
  const document = await client.scrape(addPage('first'), { formats: ['markdown', 'screenshot'] });
  assert.match(document.markdown ?? '', /harbour town/);
  assert.ok(pngSize(readDataUri(document.screenshot)).height < 2000);
});

test("Firecrawl's client gets a screenshot of the whole page, in both spellings", async () => {
  const asObject = await client.scrape(addPage('whole'), { formats: [{ type: 'screenshot', fullPage: true }] });
  assert.deepEqual(Object.keys(asObject).toSorted(), ['metadata', 'screenshot']);
  assert.ok(pngSize(readDataUri(asObject.screenshot)).height > 3000);
  const body = { url: addPage('whole'), formats: ['screenshot@fullPage'] };
  const { status, body: answer } = await running.call('/v2/scrape', body);
  assert.equal(status, 200, JSON.stringify(answer).slice(0, 500));
  const { data } = answer as unknown as { data: { screenshot: string } };
  assert.ok(pngSize(readDataUri(data.screenshot)).height > 3000);
});

test('a failed screenshot is a warning of the document', async () => {
  const url = files.add('/notes.txt', 'The harbour town keeps its old market. '.repeat(40), 'text/plain');
  const document = await client.scrape(url, { formats: ['markdown', 'screenshot'] });
  assert.equal(document.screenshot, undefined);
  assert.match(document.warning ?? '', /screenshot could not be taken/);
});

test('a batch returns the addresses of its screenshots, which need the key', async () => {
  const urls = [addPage('one'), addPage('two')];
  const { data } = await client.batchScrape(urls, {
    options: { formats: ['markdown', 'screenshot'] },
    pollInterval: 1,
  });
  assert.equal(data.length, 2);
  for (const { screenshot = '' } of data) {
    assert.match(screenshot, /\/v1\/snapshots\/dom_\w+\/screenshot$/);
    assert.equal((await fetch(screenshot)).status, 401);
    const response = await fetch(screenshot, { headers: { Authorization: `Bearer ${running.secrets.key_only}` } });
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.ok(pngSize(Buffer.from(await response.arrayBuffer())).height > 100);
  }
});
