import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { dumpResponseSchema, extractResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import type { Body } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';
import { startServiceWithFiles } from '../documents/service-with-files.ts';
import { assertNeedsProjectKey, HTML, readSnapshotFile, SENTENCE } from './snapshot-files.ts';

const { running, files, dump, close } = await startServiceWithFiles();
after(close);

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Downloads the file and checks its headers. */
async function readFile(mhtml: Body['mhtml']): Promise<string> {
  assert.ok(mhtml);
  const { headers, bytes } = await readSnapshotFile(running, mhtml, 'multipart/related');
  assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="dom_\w+\.mhtml"$/);
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  return bytes.toString();
}

/** Serves a page with a picture and a style sheet. */
function addPage(name: string): string {
  files.add('/dot.png', DOT, 'image/png');
  files.add('/page.css', 'h1 { color: rgb(1, 2, 3) }', 'text/css');
  const page = `<!doctype html><title>${name}</title><link rel="stylesheet" href="/page.css"><h1>The market</h1>${SENTENCE.repeat(8)}<img src="/dot.png">`;
  return files.add(`/${name}`, page, HTML);
}

for (const engine of ['chrome', 'chrome_cdp', 'vendor_dom', 'stable']) {
  test(`engine_preference ${engine} stores a page with its pictures and styles in one file`, async () => {
    const url = addPage('whole');
    const body = await dump(url, { engine_preference: engine, mhtml: true });
    dumpResponseSchema.strict().parse(body);
    const text = await readFile(body.mhtml);
    assert.ok(text.includes(`Snapshot-Content-Location: ${url}`), text.slice(0, 500));
    assert.ok(text.includes(`Content-Location: ${new URL('/dot.png', url).href}`));
    assert.ok(text.includes(DOT.toString('base64').slice(0, 60)));
    assert.match(text, /Content-Type: text\/css/);
  });
}

test('auto chooses `stable` when an MHTML file is requested', async () => {
  const { engine, mhtml, screenshot } = await dump(addPage('auto'), { mhtml: true, screenshot: 'viewport' });
  assert.equal(engine, 'stable');
  assert.ok(screenshot);
  await readFile(mhtml);
  const plain = await dump(addPage('auto'), { mhtml: false });
  assert.equal(plain.engine, 'http');
  assert.equal('mhtml' in plain, false);
});

test('extract returns the address of the MHTML file, for a URL and for its snapshot', async () => {
  const options = { mhtml: true, engine_preference: 'chrome' };
  const { status, body } = await running.call('/v1/extract', { extract: { url: addPage('extracted'), options } });
  assert.equal(status, 200, JSON.stringify(body));
  extractResponseSchema.strict().parse(body);
  await readFile(body.metadata.mhtml);
  const again = await running.call('/v1/extract', { extract: { dom_id: body.metadata.dom_id } });
  assert.deepEqual(again.body.metadata.mhtml, body.metadata.mhtml);
});

// Checks: threat-mhtml
test('an MHTML file above 32 MiB is not stored, but the page is returned', async () => {
  const large = Buffer.alloc(25 * 1024 * 1024, 'x');
  files.add('/large.css', large, 'text/css');
  const url = files.add('/heavy', `<!doctype html><link rel="stylesheet" href="/large.css">${SENTENCE}`, HTML);
  const body = await dump(url, { engine_preference: 'chrome', mhtml: true });
  assert.match(body.html, /harbour town/);
  assert.equal(body.mhtml, null);
});

test('a document has no MHTML file', async () => {
  const paper = readFileSync(new URL('../documents/fixtures/latex-article.pdf', import.meta.url));
  const { mhtml } = await dump(files.add('/paper.pdf', paper), { mhtml: true });
  assert.equal(mhtml, null);
});

test('mhtml with the engine http, or not a boolean, is 400 naming the field', async () => {
  const url = addPage('refused');
  const http = { engine_preference: 'http', mhtml: true };
  const dumped = await running.call('/v1/dom/dump', { url, options: http });
  assertRefused(dumped, 'invalid_request', /^options\.mhtml: needs a browser/);
  for (const mhtml of ['yes', 1]) {
    const refused = await running.call('/v1/extract', { extract: { url, options: { mhtml } } });
    assertRefused(refused, 'invalid_request', /^extract\.options\.mhtml: /);
  }
});

// Checks: threat-mhtml
test('an MHTML file needs a key of its project, counts towards its storage, and is deleted with its snapshot', async () => {
  const usage = async (): Promise<number> => (await running.store.usage.find(running.projectId)).snapshotBytes;
  const usedBefore = await usage();
  const { mhtml, dom_id } = await dump(addPage('kept'), { engine_preference: 'chrome', mhtml: true });
  assert.ok(mhtml);
  const stored = (await running.store.snapshots.find(running.projectId, dom_id))?.mhtml;
  assert.ok(stored && stored.bytes === mhtml.bytes && (await usage()) >= usedBefore + stored.storedBytes);
  await assertNeedsProjectKey(running, mhtml.url);
  const plain = await dump(addPage('kept'), { engine_preference: 'http' });
  const none = await running.call(`/v1/snapshots/${plain.dom_id}/mhtml`, undefined, { method: 'GET' });
  assertRefused(none, 'not_found', /has no MHTML file/);
  await running.call(`/v1/snapshots/${plain.dom_id}`, undefined, { method: 'DELETE' });
  assert.deepEqual(await running.store.snapshots.findUnreferenced([stored.hash]), []);
  await running.call(`/v1/snapshots/${dom_id}`, undefined, { method: 'DELETE' });
  const gone = await running.call(mhtml.url, undefined, { method: 'GET' });
  assertRefused(gone, 'dom_not_found', /no such snapshot/, 'snapshot');
  assert.deepEqual(await running.store.snapshots.findUnreferenced([stored.hash]), [stored.hash]);
  assert.equal(await usage(), usedBefore);
});

// Checks: threat-mhtml
test('making an MHTML file sends no request that the policy refuses', async () => {
  const canary = await startCanary();
  try {
    const target = `http://127.0.0.2:${canary.port}`;
    const page = `<!doctype html>${SENTENCE}<img src="${target}/seen"><img src="${target}/lazy" loading="lazy" style="margin-top:9000px"><link rel="prefetch" href="${target}/next"><iframe src="${target}/frame"></iframe>`;
    const { mhtml, debug } = await dump(files.add('/watched', page, HTML), {
      engine_preference: 'stable',
      mhtml: true,
    });
    await readFile(mhtml);
    assert.ok(debug.blocked_requests.length > 0);
    assert.deepEqual(canary.visits, []);
  } finally {
    await canary.close();
  }
});

// Checks: threat-mhtml
test('making an MHTML file fetches nothing twice', async () => {
  const url = addPage('once');
  const seen = files.requests.length;
  await readFile((await dump(url, { engine_preference: 'chrome', mhtml: true })).mhtml);
  const paths = files.requests.slice(seen);
  assert.equal(new Set(paths).size, paths.length, paths.join(' '));
});
