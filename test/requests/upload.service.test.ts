import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WinnowClient } from '../../packages/client/src/index.ts';
import { createSnapshotResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';
import { ARTICLE } from '../support/test-pages.ts';
import { startCanary } from '../site/canary.ts';

const MAX_PAGE_BYTES = 200_000;

let running: Running;
before(async () => {
  running = await startRunning({ WINNOW_MAX_PAGE_BYTES: String(MAX_PAGE_BYTES) });
});
after(() => running.close());

const upload = (body: unknown, as: 'A' | 'B' = 'B'): Promise<Answer> => running.call('/v1/snapshots', body, { as });
const page = (html = ARTICLE) => ({ url: 'https://intranet.example.com/news/1', html });

for (const as of ['A', 'B'] as const) {
  test(`uploaded HTML is stored and extracted like any snapshot (variant ${as})`, async () => {
    const { status, headers, body } = await upload(page(), as);
    assert.equal(status, 200, JSON.stringify(body));
    const created = createSnapshotResponseSchema.strict().parse(body);
    assert.equal(created.request_id, headers.get('X-Request-ID'));
    assert.equal(created.html_bytes, Buffer.byteLength(ARTICLE));
    const extract = { dom_id: created.dom_id, formats: ['markdown'] };
    const answer = await running.call('/v1/extract', { extract, trace: { include_raw_dom: true } }, { as });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { result, metadata } = answer.body;
    assert.equal(result.title, 'The market by the harbour');
    assert.match(result.main_text, /fishermen sell there/);
    assert.deepEqual(
      [result.url, result.final_url, result.status_code, result.engine, metadata.engine],
      [page().url, page().url, 200, 'upload', 'upload'],
    );
    assert.ok(result.links.some(({ url }) => url === 'https://intranet.example.com/more'));
    assert.equal(answer.body.raw_dom, ARTICLE);
  });
}

test('content_language is the language of an uploaded page that does not state it', async () => {
  const { body } = await upload({ ...page('<p>Ja.</p>'), content_language: 'de' });
  const row = await running.store.snapshots.find(running.projectId, body.dom_id);
  assert.equal(row?.contentLanguage, 'de');
});

test('an uploaded page is listed, counted, deduplicated and deleted like any snapshot', async () => {
  const html = ARTICLE.replace('</body>', '<p>Uploaded twice.</p></body>');
  const usageBefore = await running.store.usage.find(running.projectId);
  const [one, two] = [await upload(page(html)), await upload(page(html))];
  assert.notEqual(one.body.dom_id, two.body.dom_id);
  const rows = await Promise.all(
    [one, two].map(({ body }) => running.store.snapshots.find(running.projectId, body.dom_id)),
  );
  assert.equal(rows[0]?.hash, rows[1]?.hash);
  const usageAfter = await running.store.usage.find(running.projectId);
  assert.equal(usageAfter.snapshots, usageBefore.snapshots + 2);
  assert.ok(usageAfter.snapshotBytes > usageBefore.snapshotBytes);
  const { items } = await running.store.snapshots.list(running.projectId, { engine: 'upload' });
  assert.ok(items.some(({ domId, title }) => domId === one.body.dom_id && title === 'The market by the harbour'));
  const deleted = await running.call(`/v1/snapshots/${one.body.dom_id}`, undefined, { method: 'DELETE' });
  assert.equal(deleted.status, 200);
  const gone = await running.call('/v1/extract', { extract: { dom_id: one.body.dom_id } });
  assertRefused(gone, 'dom_not_found', /no such snapshot/, 'snapshot');
});

// Checks: threat-upload
test('an uploaded page of another project is answered like an unknown one', async () => {
  const { body } = await upload(page());
  await running.store.projects.insert({ id: 'prj_other', name: 'other', createdAt: new Date(), archivedAt: null });
  const key = await running.addKey({ projectId: 'prj_other', kind: 'key_only' });
  const headers = { 'X-API-Key': key };
  const answer = await running.call('/v1/extract', { extract: { dom_id: body.dom_id } }, { as: 'none', headers });
  assertRefused(answer, 'dom_not_found', /no such snapshot/, 'snapshot');
});

// Checks: threat-upload
test('nothing is fetched for an uploaded page, neither its address nor its links', async (t) => {
  const canary = await startCanary();
  t.after(() => canary.close());
  const inside = `http://127.0.0.1:${canary.port}`;
  const html = `<!doctype html><base href="${inside}/"><link rel="stylesheet" href="a.css"><img src="b.png">
    <iframe src="${inside}/c"></iframe><script src="${inside}/d.js"></script><meta http-equiv="refresh" content="0;url=${inside}/e">
    ${ARTICLE}`;
  const { body } = await upload({ url: `${inside}/page`, html });
  const answer = await running.call('/v1/extract', { extract: { dom_id: body.dom_id } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(findStep(answer.body, 'fetch').status, 'skipped');
  assert.deepEqual(canary.visits, []);
});

const REFUSED: readonly (readonly [name: string, body: unknown, message: RegExp])[] = [
  ['no url', { html: ARTICLE }, /url: is required/],
  ['no html', { url: page().url }, /html: is required/],
  ['empty html', page(''), /html: must not be empty/],
  ['html that is not a string', { ...page(), html: 1 }, /html: must be a string/],
  ['an unknown field', { ...page(), engine: 'http' }, /engine: unknown field/],
  ['an invalid url', { ...page(), url: 'news' }, /url: is not an absolute URL/],
  ['a language with a line end', { ...page(), content_language: 'de\nX: y' }, /content_language: must be printable/],
];
for (const [name, body, message] of REFUSED) {
  test(`an upload with ${name} is 400 with the path`, async () => {
    assertRefused(await upload(body), 'invalid_request', message);
  });
}

// Checks: threat-upload
test('an upload under an address that the egress policy refuses is url_not_allowed', async () => {
  for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/', 'file:///etc/passwd', 'https://a:b@example.com/'])
    assertRefused(await upload({ ...page(), url }), 'url_not_allowed', /^url: /);
});

// Checks: threat-upload
test('HTML over the limit is 413, even if the body is within its own limit', async () => {
  const characters = 'ä'.repeat(MAX_PAGE_BYTES / 2 + 1);
  assertRefused(await upload(page(characters)), 'payload_too_large', /html: has 200002 bytes; the limit is 200000/);
  const fits = await upload(page('ä'.repeat(MAX_PAGE_BYTES / 2)));
  assert.equal(fits.status, 200);
  const huge = await upload(page('x'.repeat(50_000_000)));
  assert.equal(huge.status, 413);
  assert.match(huge.body.error.message, /WINNOW_MAX_PAGE_BYTES/);
});

// Checks: threat-upload
test('an upload above the storage quota is refused, and its request record contains no page', async () => {
  const full = await startRunning({ WINNOW_PROJECT_STORAGE_QUOTA: '1' });
  try {
    assertRefused(await full.call('/v1/snapshots', page()), 'storage_quota_exceeded', /WINNOW_PROJECT_STORAGE_QUOTA/);
  } finally {
    await full.close();
  }
  const { body } = await upload(page());
  const find = () => running.store.requests.find(running.projectId, body.request_id);
  // Records are written after the answers.
  while ((await find()) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  const record = await find();
  assert.match(record?.detail ?? '', /intranet\.example\.com/);
  assert.doesNotMatch(record?.detail ?? '', /fishermen/);
});

test('the SDK uploads a page', async () => {
  const client = new WinnowClient({ baseUrl: running.url, apiKey: running.secrets.key_only });
  const { dom_id } = await client.createSnapshot(page());
  const { result } = await client.extract({ extract: { dom_id } });
  assert.equal(result.title, 'The market by the harbour');
});
