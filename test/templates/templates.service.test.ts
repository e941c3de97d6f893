/** Evidence of sites, templates and taught sites over HTTP, and the 422 of the template stages. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  SiteExample,
  SiteOutline,
  TemplateDocument,
  TemplateSummary,
  TemplateTestResponse,
} from '@winnow/contract';
import { computeSignature } from '@winnow/extract/matching';
import { COMMAND_LINE } from '../../packages/server/src/domain/accounts/audit.ts';
import { importTemplate, activateTemplate } from '../../packages/server/src/domain/templates/manage-templates.ts';
import { nameVersion } from '../../packages/server/src/domain/templates/template-ports.ts';
import { makeTemplateDocument } from '../../packages/server/src/domain/templates/testing/stored-template.ts';
import { makeTestPage } from '../../packages/server/src/domain/templates/testing/test-site.ts';
import { assertRefused } from '../support/assert-refused.ts';
import { makeProductPage, PRODUCTS } from '../support/clay-shop.ts';
import { findStep, startRunning, type Answer, type Body, type Running } from '../support/running-service.ts';

let running: Running;
const sites: Server[] = [];

before(async () => {
  // Above the limit of every text in an answer.
  running = await startRunning({ WINNOW_MAX_PAGE_BYTES: '32MiB', WINNOW_WORKER_MEMORY: '2GiB' });
});
after(async () => {
  await running.close();
  for (const site of sites) await new Promise((resolve) => site.close(resolve));
});

/** Starts a site on a new port, which makes it a separate host; returns its address. */
async function startSite(getHtml: (path: string) => string): Promise<string> {
  const site = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(getHtml(request.url ?? '/'));
  });
  sites.push(site);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

async function takeSnapshot(url: string): Promise<string> {
  const { body } = await running.call('/v1/dom/dump', { url, options: { engine_preference: 'http' } });
  return body.dom_id;
}

/** Extracts from a snapshot: the fetch is tested elsewhere. */
async function extract(url: string, more: object = {}, workflow?: object): Promise<Answer> {
  const dom_id = await takeSnapshot(url);
  return running.call('/v1/extract', { extract: { dom_id, ...more }, ...(workflow === undefined ? {} : { workflow }) });
}

const readIndex = (path: string): number => Number(/(\d+)/.exec(path)?.[1] ?? 0);
const EMPTY = '<!doctype html><html><head><title>x</title></head><body><div></div></body></html>';

test('after a few visits pages are answered with evidence of their site, in every interface and the trace', async () => {
  const site = await startSite((path) => makeTestPage(readIndex(path)).html);
  let first: Answer | undefined;
  for (let index = 1; index < 30 && !first?.body.template_id.startsWith('tpl_'); index++) {
    first = await extract(`${site}/news/story-${index}-x`);
    assert.equal(first.status, 200);
    // Notes are taken after the reply.
    await sleep(50);
  }
  const name = first?.body.template_id ?? '';
  assert.match(name, /^tpl_[0-9A-HJKMNP-TV-Z]{26}:v\d+$/);
  const { host } = new URL(site);
  const built = findStep(first!.body, 'generate');
  const { pages } = built.detail;
  assert.ok(Number(pages) >= 2);
  const reason = `${String(pages)} other pages of ${host}/news/{slug} are known`;
  assert.deepEqual([built.status, built.detail], ['ok', { reason, template_id: name, pages }]);

  const { body } = await extract(`${site}/news/story-31-x`, { formats: ['markdown', 'html'] });
  const page = makeTestPage(31);
  assert.match(body.template_id, /^tpl_/);
  assert.equal(body.result.template_id, body.template_id);
  assert.equal(body.metadata.template_id, body.template_id);
  assert.deepEqual(
    [body.result.title, body.result.author, body.result.publish_time],
    [page.title, page.author, page.day],
  );
  assert.ok(body.result.main_text.includes(page.text));
  assert.equal('notes' in body.result, false);
  assert.match(body.result.markdown, /On a cold morning|For many years/);
  assert.match(body.result.html, /<p>/);
  const places = await running.store.siteNotes.listPlaces({ projectId: running.projectId, domain: host, limit: 5 });
  assert.deepEqual(
    places.map(({ shape }) => shape),
    ['/news/{slug}'],
  );
});

test('a template fits pages by their structure, and a page that it does not fit falls back', async () => {
  let layout: 'first' | 'second' = 'first';
  const script = '<script src="/app.js"></script></body>';
  const site = await startSite((path) => makeTestPage(readIndex(path), layout).html.replace('</body>', script));
  const name = await importFor(new URL(site).host, {
    signature: { values: [...computeSignature(makeTestPage(1).html)], max_distance: 0.9 },
    content: { include: [{ css: '.story-text' }], exclude: [{ css: '.story-related' }], exclude_text: [] },
  });
  // For a URL, the known structure shows that the capture is complete, without a trial extraction.
  const { body } = await running.call('/v1/extract', { extract: { url: `${site}/news/story-32-x` } });
  assert.equal(body.template_id, name);
  assert.equal(body.result.main_text, makeTestPage(32).text);
  const [attempt] = findStep(body, 'fetch').detail['engine_attempts'] as { reason: string }[];
  assert.equal(attempt?.reason, `its structure matches ${name}`);
  const [candidate] = findStep(body, 'match').detail['candidates'] as { template_id: string; score: number }[];
  assert.equal(candidate?.template_id, name);
  assert.ok((candidate?.score ?? 0) > 0.4);
  assert.equal(findStep(body, 'generate').status, 'skipped');
  const { main_text_source, from_generic } = findStep(body, 'extract').detail;
  assert.deepEqual([main_text_source, from_generic], ['.story-text', {}]);

  layout = 'second';
  const fallen = await extract(`${site}/news/story-40-x`);
  assert.equal(fallen.body.template_id, 'generic:v1');
  assert.equal(findStep(fallen.body, 'extract').detail['fallback'], `${name} does not match: the main text is empty`);
  assert.match(fallen.body.result.main_text, /On a cold morning|For many years/);
  const metrics = await (await fetch(`${running.url}/metrics`)).text();
  for (const outcome of ['served', 'failed'])
    assert.match(metrics, new RegExp(`^winnow_template_pages_total\\{outcome="${outcome}"\\} [1-9]`, 'm'));
});

async function importFor(host: string, parts: Partial<TemplateDocument>): Promise<string> {
  const { siteTemplates, accounts } = running.store;
  const deps = { templates: siteTemplates, audit: accounts.audit };
  const stored = await importTemplate(deps, COMMAND_LINE, makeTemplateDocument({ hosts: [host], ...parts }));
  return nameVersion(await activateTemplate(deps, COMMAND_LINE, nameVersion(stored)));
}

test('custom fields of a template are returned in result.fields', async () => {
  const site = await startSite((path) => makeTestPage(readIndex(path)).html);
  const css = '.story-related a';
  const name = await importFor(new URL(site).host, {
    custom: [
      { name: 'related', type: 'list', selectors: [{ css, all: true }] },
      { name: 'number', type: 'number', selectors: [{ css: 'h1', post: [{ op: 'match', pattern: '\\d+' }] }] },
      { name: 'first', type: 'url', selectors: [{ css, attribute: 'href' }] },
      { name: 'none', type: 'text', selectors: [{ css: '.none' }] },
    ],
  });
  const { body } = await extract(`${site}/news/story-7-x`);
  assert.equal(body.template_id, name);
  const { related, ...fields } = body.result.fields;
  assert.deepEqual(fields, { number: 7, first: `${site}/news/story-8`, none: null });
  assert.equal(Array.isArray(related) ? related.length : 0, 3);
});

test('a template with invalid output falls back to the generic extractor', async () => {
  const long = 'word '.repeat(4000);
  const page = makeTestPage(3);
  const site = await startSite(() => page.html.replace('<body>', `<body data-about="${long}">`));
  const name = await importFor(new URL(site).host, {
    fields: { description: { selectors: [{ css: 'body', attribute: 'data-about' }] } },
  });
  const { status, body } = await extract(site);
  assert.equal(status, 200);
  assert.equal(body.template_id, 'generic:v1');
  assert.ok(body.result.main_text.includes(page.text));
  assert.equal(
    findStep(body, 'extract').detail['fallback'],
    `${name} does not match: description has more than 10000 characters`,
  );
});

// Checks: interface-7-422
test('422 validation_failed: the generic answer is invalid too', async () => {
  const days = Array.from(
    { length: 1200 },
    (_, day) => `<p>${`What came of day ${day} is told here. `.repeat(530)}</p>`,
  );
  const article = `<article><h1>The orchard</h1>${days.join('')}</article>`;
  const site = await startSite(
    () => `<!doctype html><html lang=en><title>The orchard</title><body>${article}</body></html>`,
  );
  await importFor(new URL(site).host, { content: { include: [{ css: 'article' }], exclude: [], exclude_text: [] } });
  const answer = await extract(site, {}, { extract_timeout_ms: 120_000 });
  assertRefused(answer, 'validation_failed', /main_text has 2\d{7} characters/, 'validate');
  assert.equal(findStep(answer.body, 'validate').status, 'failed');
  assert.match(String(findStep(answer.body, 'extract').detail['fallback']), /does not match: main_text has/);
});

test('422 no_template_matched: a page has no content', async () => {
  const site = await startSite((path) => EMPTY.replace('x', path));
  const answer = await extract(`${site}/a/page-1`);
  assertRefused(answer, 'no_template_matched', /^no main content found on the page$/, 'match');
});

test('422 generate_timeout: building the evidence of a site exceeds its timeout', async () => {
  const site = await startSite((path) => {
    const rows = Array.from({ length: 1500 }, (_, row) => `<p>Row ${row} of${path} is about day ${row * 7}.</p>`);
    return `<!doctype html><title>Rows</title><main><h1>Rows</h1>${rows.join('')}</main>`;
  });
  const { host } = new URL(site);
  for (let index = 1; index <= 12; index++) assert.equal((await extract(`${site}/rows/part-${index}`)).status, 200);
  const count = async () =>
    (await running.store.siteNotes.listPlaces({ projectId: running.projectId, domain: host, limit: 1 }))[0]?.pages;
  while ((await count()) !== 12) await sleep(50);
  // Evidence is used again for three seconds, but not for one of its own pages.
  const late = await extract(`${site}/rows/part-1`, {}, { generate_timeout_ms: 1 });
  assertRefused(late, 'generate_timeout', /1 ms/, 'generate');
  assert.equal(findStep(late.body, 'generate').status, 'failed');
});

test('422 match_timeout: matching a large page exceeds its timeout', async () => {
  const html = `<!doctype html><title>Large</title><main>${'<section><div><ul><li><p>Some text.</p></li></ul></div></section>'.repeat(5000)}</main>`;
  const site = await startSite(() => html);
  const values = Array.from({ length: 64 }, (_, index) => index);
  await importFor(new URL(site).host, {
    signature: { values, max_distance: 1 },
    content: { include: [{ css: 'main' }], exclude: [], exclude_text: [] },
  });
  const answer = await extract(site, {}, { match_timeout_ms: 1 });
  assertRefused(answer, 'match_timeout', /1 ms/, 'match');
  assert.equal(findStep(answer.body, 'match').status, 'failed');
});

test('422 extract_timeout: a template that exceeds its timeout is stopped', async () => {
  const html = `<!doctype html><title>Large</title><main>${'<p>Some text of the page.</p>'.repeat(50_000)}</main>`;
  const site = await startSite(() => html);
  await importFor(new URL(site).host, { content: { include: [{ css: 'main' }], exclude: [], exclude_text: [] } });
  const answer = await extract(site, {}, { extract_timeout_ms: 1 });
  assertRefused(answer, 'extract_timeout', /1 ms/, 'extract');
  assert.equal(findStep(answer.body, 'extract').status, 'failed');
});

/** All fields of the answers of the admin API; a test reads those that it expects. */
interface AdminBody extends Body {
  readonly blocks: SiteOutline['blocks'];
  readonly items: readonly (SiteExample & TemplateTestResponse['items'][number])[];
  readonly document: TemplateDocument;
  readonly template: TemplateSummary;
}

type Admin = (method: string, path: string, body?: object) => Promise<Answer & { readonly body: AdminBody }>;

let session: Promise<Admin> | undefined;

/** Calls the admin API as the first administrator. */
function signIn(): Promise<Admin> {
  session ??= openSession();
  return session;
}

async function openSession(): Promise<Admin> {
  const json = { 'content-type': 'application/json' };
  const token = running.service.setupUrl?.split('#')[1];
  const accepted = await fetch(`${running.url}/admin/v1/links/accept`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ token, email: 'admin@example.com', password: 'a horse that staples' }),
  });
  const cookie = accepted.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const { csrf_token: csrf } = (await accepted.json()) as { csrf_token: string };
  return async (method, path, body) => {
    const answer = await fetch(`${running.url}/admin/v1${path}`, {
      method,
      headers: { cookie, 'x-csrf-token': csrf, ...(body === undefined ? {} : json) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as AdminBody };
  };
}

function sitePath(host: string, ...parts: string[]): string {
  return ['', 'projects', running.projectId, 'sites', ...[host, ...parts].map(encodeURIComponent)].join('/');
}

/** Marks all blocks of a snapshot: facts are content, what customers wrote is not. */
async function markPage(admin: Admin, host: string, url: string): Promise<void> {
  const domId = await takeSnapshot(url);
  const { body } = await admin('GET', sitePath(host, 'examples', domId));
  const isContent = (text: string): boolean => !/^(?:Anna|Home|Sale|Clay shop)/.test(text);
  const marks = body.blocks.map(({ id, text }) => ({ block: id, keep: isContent(text) }));
  const put = await admin('PUT', sitePath(host, 'examples', domId), { marks });
  assert.equal(put.status, 200, JSON.stringify(put.body));
  const again = await admin('GET', sitePath(host, 'examples', domId));
  assert.deepEqual(
    again.body.blocks.map(({ mark }) => mark),
    marks.map(({ keep }) => keep),
  );
}

test('a site that two marked pages teach is answered by the marks, which can be retired and exported', async () => {
  const shop = await startSite(makeProductPage);
  const { host } = new URL(shop);
  const admin = await signIn();
  const first = await extract(`${shop}/p/blue-1`);
  assert.match(first.body.result.main_text, /Anna of house 1/);
  assert.doesNotMatch(first.body.result.main_text, /Weight 301 g/);

  await markPage(admin, host, `${shop}/p/blue-2`);
  const one = await admin('GET', sitePath(host, 'examples'));
  assert.deepEqual([one.body.items.length, one.body.document, one.body.template], [1, null, null]);
  assertRefused(await admin('POST', sitePath(host, 'teach')), 'conflict', /mark two pages of the same kind/);
  await markPage(admin, host, `${shop}/p/blue-3`);
  const { body: listed } = await admin('GET', sitePath(host, 'examples'));
  assert.deepEqual(
    listed.items.map(({ shape, marks, content }) => [shape, marks, content]),
    [
      ['/p/{slug}', 9, 6],
      ['/p/{slug}', 9, 6],
    ],
  );
  const preview = await admin('POST', '/templates/preview', {
    project_id: running.projectId,
    dom_ids: [first.body.metadata.dom_id],
    document: listed.document,
  });
  const text = preview.body.items[0]?.fields.find(({ field }) => field === 'main_text');
  assert.match(String(text?.template), /Weight 301 g/);
  assert.match(text?.generic ?? '', /Anna of house 1/);
  assert.equal(text?.selector, 'taught');

  const { body: live } = await admin('POST', sitePath(host, 'teach'));
  const { name } = live.template;
  assert.deepEqual(
    [live.template.state, live.template.project_id, live.template.note],
    ['active', running.projectId, 'by hand: taught by 2 pages'],
  );
  const taught = await extract(`${shop}/p/blue-4`);
  assert.equal(taught.body.template_id, name);
  assert.match(taught.body.result.main_text, /Weight 304 g/);
  assert.match(taught.body.result.main_text, /glazed twice/);
  assert.doesNotMatch(taught.body.result.main_text, /Anna/);
  const { main_text_source, from_generic } = findStep(taught.body, 'extract').detail;
  assert.deepEqual([main_text_source, from_generic], ['taught', {}]);

  const { body: exported } = await admin('GET', `/templates/${name}`);
  assert.equal((await admin('POST', `/templates/${name}/retire`)).status, 200);
  assert.match((await extract(`${shop}/p/blue-5`)).body.result.main_text, /Anna/);
  const imported = await admin('POST', '/templates', exported.document);
  assert.deepEqual([imported.body.template.version, imported.body.template.project_id], [2, running.projectId]);
  await admin('POST', `/templates/${imported.body.template.name}/activate`);
  const restored = await extract(`${shop}/p/blue-5`);
  assert.equal(restored.body.template_id, imported.body.template.name);
  assert.doesNotMatch(restored.body.result.main_text, /Anna/);
});

test('a taught path that vanishes is warned of, and the generic extraction answers', async () => {
  let layout = 'shop';
  const shop = await startSite((path) =>
    layout === 'shop' ? makeProductPage(path) : makeProductPage(path).replaceAll(/class="(\w+)"/g, 'class="new-$1"'),
  );
  const { host } = new URL(shop);
  const admin = await signIn();
  for (const index of [1, 2]) await markPage(admin, host, `${shop}/p/blue-${index}`);
  const { body: live } = await admin('POST', sitePath(host, 'teach'));
  const { name } = live.template;
  layout = 'relaunched';
  const elsewhere = await extract(`${shop}/about/us/all`);
  assert.equal(elsewhere.body.template_id, 'generic:v1');
  for (const index of [3, 4, 5]) {
    const { body } = await extract(`${shop}/p/blue-${index}`);
    assert.doesNotMatch(body.template_id, new RegExp(name));
    assert.equal(
      findStep(body, 'extract').detail['fallback'],
      `${name} does not match: no text is where the marked pages have content`,
    );
    assert.match(body.result.main_text, /glazed twice/);
  }
  // Failures are counted after the replies.
  let { body } = await admin('GET', `/templates/${name}`);
  for (; body.template.warning === null; { body } = await admin('GET', `/templates/${name}`)) await sleep(50);
  assert.match(body.template.warning ?? '', /last pages failed/);
  assert.equal(body.template.health.failed, 3, 'the page of another shape does not count');
  assert.ok(running.log.some((line) => line.includes('does not fit the last pages') && line.includes(name)));
});

test('marks that a page does not have, and snapshots of another host, are refused', async () => {
  const shop = await startSite(makeProductPage);
  const { host } = new URL(shop);
  const admin = await signIn();
  const domId = await takeSnapshot(`${shop}/p/blue-1`);
  const marks = [{ block: 'gone', keep: true }];
  const unknown = await admin('PUT', sitePath(host, 'examples', domId), { marks });
  assertRefused(unknown, 'invalid_request', /^marks: the snapshot has no block gone$/);
  assertRefused(await admin('PUT', sitePath(host, 'examples', domId), { marks: [] }), 'invalid_request', /marks/);
  assertRefused(
    await admin('GET', sitePath('other.example', 'examples', domId)),
    'invalid_request',
    /is not of the host/,
  );
  assertRefused(
    await admin('GET', sitePath(host, 'examples', 'dom_0')),
    'dom_not_found',
    /no snapshot dom_0/,
    'snapshot',
  );
  assertRefused(await admin('DELETE', sitePath(host, 'examples', domId)), 'not_found', /has no marks/);
  await markPage(admin, host, `${shop}/p/blue-2`);
  const [example] = (await admin('GET', sitePath(host, 'examples'))).body.items;
  const left = await admin('DELETE', sitePath(host, 'examples', example?.dom_id ?? ''));
  assert.deepEqual([left.status, left.body.items], [200, []]);
});

test('a shop of four pages keeps name, price and image, without and with evidence', async () => {
  const shop = await startSite(makeProductPage);
  for (const index of [1, 2, 3, 4, 1]) {
    const { body } = await extract(`${shop}/p/blue-${index}`);
    const name = `Blue ${PRODUCTS[index]}`;
    assert.equal(body.result.title, name);
    assert.ok(
      body.result.main_text.includes(`${19 + index}.00 €`),
      `${index} ${body.template_id}\n${body.result.main_text}`,
    );
    assert.ok(body.result.images.some(({ url }) => url === `${shop}/img/${PRODUCTS[index]}.jpg`));
    await sleep(60);
  }
});
