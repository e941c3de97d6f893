/** `Cache-Control` of batches. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WinnowClient } from '../../packages/client/src/index.ts';
import type { BatchLine } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { startServiceWithFiles } from '../documents/service-with-files.ts';

const { running, files, close } = await startServiceWithFiles({ WINNOW_CHROMIUM: 'none', WINNOW_HOST_SPACING: '0s' });
after(close);
const client = new WinnowClient({ baseUrl: running.url, apiKey: running.secrets.key_only });

const PAGE = `<!doctype html><title>Market</title><h1>Market</h1>${'<p>The harbour town keeps its old market, and the fishermen sell there.</p>'.repeat(8)}`;
const addPage = (path: string): string => files.add(path, PAGE, 'text/html; charset=utf-8');
const visits = (path: string): number => files.requests.filter((one) => one === path).length;

async function runBatch(urls: readonly string[], cacheControl?: string): Promise<BatchLine[]> {
  const { id } = await client.createBatch({ urls: [...urls] }, { cacheControl });
  await client.waitForBatch(id, { timeoutMs: 60_000 });
  const lines: BatchLine[] = [];
  for await (const line of client.batchResults(id)) lines.push(line);
  return lines;
}

test('max-age of a batch uses stored snapshots and fetches pages without one', async () => {
  const urls = [addPage('/known'), addPage('/unknown')];
  const { metadata } = await client.extract({ extract: { url: urls[0] ?? '' } });
  const [known, unknown] = await runBatch(urls, 'max-age=3600');
  assert.deepEqual([known?.metadata?.cached, known?.metadata?.dom_id], [true, metadata.dom_id]);
  assert.equal(unknown?.metadata?.cached, undefined);
  assert.deepEqual([visits('/known'), visits('/unknown')], [1, 1]);
});

test('a batch without Cache-Control, or with no-cache, fetches every page', async () => {
  const url = addPage('/fetched');
  await client.extract({ extract: { url } });
  for (const [count, header] of [undefined, 'no-cache', 'max-age=0'].entries()) {
    const [line] = await runBatch([url], header);
    assert.equal(line?.metadata?.cached, undefined, header);
    assert.equal(visits('/fetched'), count + 2);
  }
});

test('only-if-cached of a batch fetches nothing, and items without a snapshot fail with not_cached', async () => {
  const stored = addPage('/stored');
  await client.extract({ extract: { url: stored } });
  const [known, unknown] = await runBatch([stored, addPage('/never')], 'only-if-cached');
  assert.equal(known?.metadata?.cached, true);
  assert.equal(unknown?.error?.code, 'not_cached');
  assert.deepEqual([visits('/stored'), visits('/never')], [1, 0]);
});

test('a batch max-age that is not a whole number of seconds gets 400, naming the header', async () => {
  for (const value of ['max-age=-1', 'max-age=', 'max-age=1.5']) {
    const headers = { 'Cache-Control': value };
    const refused = await running.call('/v1/batches', { urls: [addPage('/refused')] }, { headers });
    assertRefused(refused, 'invalid_request', /^Cache-Control: max-age must be a whole number/);
  }
});
