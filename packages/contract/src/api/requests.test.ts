import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  batchItemLineSchema,
  batchRequestSchema,
  crawlRequestSchema,
  DEFAULT_LIMITS,
  dumpRequestSchema,
  dumpToolInput,
  extractRequestSchema,
  extractToolInput,
  firecrawlScrapeSchema,
  snapshotRequestSchema,
  webLoaderSchema,
} from '../index.ts';
import { alertRequestSchema } from '../admin/admin-alerts.ts';

test('blanks and line ends around an address or id are not part of it', () => {
  const url = 'https://a.example/';
  const typed = `\t ${url} \r\n`;
  const tools = { limits: DEFAULT_LIMITS, engineFamily: 'winnow' };
  const hook = { url, secret: `whsec_${'A'.repeat(32)}` };
  const typedHook = { ...hook, url: typed };
  assert.deepEqual(extractRequestSchema().parse({ extract: { url: typed } }), { extract: { url } });
  assert.deepEqual(snapshotRequestSchema().parse({ url: typed, html: '<p>' }), { url, html: '<p>' });
  assert.deepEqual(batchRequestSchema().parse({ urls: [typed], webhook: typedHook }), { urls: [url], webhook: hook });
  assert.deepEqual(webLoaderSchema().parse({ urls: [typed] }), { urls: [url] });
  for (const schema of [
    dumpRequestSchema(),
    batchItemLineSchema(),
    crawlRequestSchema(),
    extractToolInput(tools),
    dumpToolInput(tools),
    firecrawlScrapeSchema(),
    alertRequestSchema,
  ])
    assert.equal(schema.parse({ url: typed }).url, url);
  const pasted = extractRequestSchema().parse({ extract: { dom_id: ' dom_1\n' } });
  assert.deepEqual(pasted, { extract: { dom_id: 'dom_1' } });
  assert.deepEqual(batchItemLineSchema().parse({ dom_id: 'dom_1\r' }), { dom_id: 'dom_1' });
  assert.equal(dumpRequestSchema().safeParse({ url: ' \n' }).success, false);
});
