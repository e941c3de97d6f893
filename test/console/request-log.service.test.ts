/** Requests as recorded in the database: no secrets, no unknown keys, and by default no page content. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import type { DetailedRequest } from '../../packages/server/src/domain/request-log/ports.ts';
import type { RequestDetail } from '../../packages/server/src/http/requests/request-log.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`;

/** Waits for the entry of a request; entries are written about a second after the answer. */
async function findEntry(running: Running, id: string): Promise<{ entry: DetailedRequest; detail: RequestDetail }> {
  for (;;) {
    const entry = await running.store.requests.find(running.projectId, id);
    if (entry) return { entry, detail: JSON.parse(entry.detail) as RequestDetail };
    await setTimeout(50);
  }
}

describe('by default', () => {
  let running: Running;
  before(async () => {
    running = await startRunning();
  });
  after(() => running.close());

  // Checks: threat-recorded-secrets
  test('a request is recorded with options, trace and snapshot, and without content', async () => {
    const url = `${running.pages.url}/article`;
    const headers = { 'X-Request-ID': 'first', Cookie: 'session=sesame' };
    const { body } = await running.call('/v1/extract', { extract: { url, formats: ['markdown'] } }, { headers });
    const { entry, detail } = await findEntry(running, 'first');
    assert.deepEqual(
      [entry.endpoint, entry.status, entry.code, entry.url, entry.source],
      ['/v1/extract', 200, 'ok', url, 'api'],
    );
    assert.equal(entry.domId, body.metadata.dom_id);
    assert.equal(entry.templateId, body.template_id);
    assert.equal(entry.engine, 'http');
    assert.deepEqual(detail.request, { extract: { url, formats: ['markdown'] } });
    assert.deepEqual(
      detail.trace.map(({ stage }) => stage),
      body.trace.map(({ stage }) => stage),
    );
    assert.equal(detail.answer, null);
    const stored = JSON.stringify(entry);
    assert.ok(!stored.includes(body.result.main_text.slice(0, 40)));
    for (const secret of [...Object.values(running.secrets), 'sesame']) assert.ok(!stored.includes(secret));
  });

  // Checks: threat-recorded-secrets
  test('credentials in URLs and webhook secrets are not recorded', async () => {
    const url = 'http://user:pa55word@example.com/a';
    await running.call('/v1/extract', { extract: { url } }, { headers: { 'X-Request-ID': 'credentials' } });
    const { entry, detail } = await findEntry(running, 'credentials');
    assert.equal(entry.url, 'http://example.com/a');
    assert.equal(detail.error?.code, 'url_not_allowed');
    assert.ok(!entry.detail.includes('pa55word'));

    const webhook = { url: `${running.pages.url}/hook`, secret: WEBHOOK_SECRET };
    const urls = Array.from({ length: 30 }, (_, index) => `${running.pages.url}/article?${index}`);
    await running.call('/v1/batches', { urls, webhook }, { headers: { 'X-Request-ID': 'batch' } });
    const batch = await findEntry(running, 'batch');
    const { urls: kept, webhook: keptWebhook } = batch.detail.request as { urls: string[]; webhook: object };
    assert.equal(kept.length, 21);
    assert.equal(kept.at(-1), '… 10 more');
    assert.deepEqual(keptWebhook, { url: webhook.url });
    assert.ok(!batch.entry.detail.includes(WEBHOOK_SECRET));
  });

  // Checks: threat-recorded-secrets
  test('a refused body is not recorded, but its error is', async () => {
    const body = { extract: { url: running.pages.url }, api_key: 'hunter2' };
    await running.call('/v1/extract', body, { headers: { 'X-Request-ID': 'refused' } });
    const { detail } = await findEntry(running, 'refused');
    assert.equal(detail.request, null);
    assert.match(detail.error?.message ?? '', /api_key: unknown field/);
  });

  // Checks: threat-request-log-growth
  test('unknown keys and successful reads add no row', async () => {
    const known = (await running.store.requests.list(running.projectId)).items.length;
    const strange = { 'X-API-Key': `wk_${'0'.repeat(32)}` };
    for (let count = 0; count < 20; count += 1) {
      await running.call('/v1/extract', {}, { as: 'none', headers: strange });
    }
    const { body } = await running.call('/v1/batches', { urls: [`${running.pages.url}/article`] });
    const { id } = (body as unknown as { batch: { id: string } }).batch;
    await running.call(`/v1/batches/${id}`, undefined, { method: 'GET' });
    await running.call('/v1/batches/bat_0', undefined, { method: 'GET', headers: { 'X-Request-ID': 'last' } });
    await findEntry(running, 'last');
    const { items } = await running.store.requests.list(running.projectId);
    // The new batch, and the read that failed.
    assert.equal(items.length, known + 2);
  });
});

test('with WINNOW_REQUEST_LOG=full the start of the answer is recorded', async () => {
  const running = await startRunning({ WINNOW_REQUEST_LOG: 'full' });
  try {
    const url = `${running.pages.url}/article`;
    const headers = { 'X-Request-ID': 'whole' };
    const { body } = await running.call('/v1/extract', { extract: { url } }, { headers });
    const { detail } = await findEntry(running, 'whole');
    assert.equal(detail.answer?.truncated, false);
    assert.deepEqual(JSON.parse(detail.answer.text), body);
  } finally {
    await running.close();
  }
});

test('with WINNOW_REQUEST_LOG=off nothing is recorded', async () => {
  const running = await startRunning({ WINNOW_REQUEST_LOG: 'off' });
  await running.call('/v1/extract', { extract: { url: `${running.pages.url}/article` } });
  // Stopping the service writes pending entries.
  await running.service.close();
  assert.equal((await running.store.requests.list(running.projectId)).items.length, 0);
  await running.close();
});
