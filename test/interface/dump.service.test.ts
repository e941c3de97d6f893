import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dumpResponseSchema, ENGINE_PREFERENCES } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { ARTICLE } from '../support/test-pages.ts';

let running: Running;
before(async () => {
  running = await startRunning({ WINNOW_ENGINE_FAMILY: 'acme' });
});
after(() => running.close());

const article = () => `${running.pages.url}/article`;
const dump = (body: unknown, as: 'A' | 'B' = 'B') => running.call('/v1/dom/dump', body, { as });
const plain = (more: object = {}) => ({ engine_preference: 'http', ...more });

for (const as of ['A', 'B'] as const) {
  // Checks: interface-1.2, interface-2.5
  test(`dump returns every field (variant ${as})`, async () => {
    const answer = await dump({ url: article(), options: plain() }, as);
    assert.equal(answer.status, 200);
    const body = dumpResponseSchema.strict().parse(answer.body);
    assert.equal(body.request_id, answer.headers.get('X-Request-ID'));
    assert.equal(body.url, article());
    assert.equal(body.final_url, article());
    assert.equal(body.status_code, 200);
    assert.equal(new Date(body.fetched_at).toISOString(), body.fetched_at);
    assert.equal(body.engine, 'http');
    assert.match(body.dom_id, /^dom_/);
    assert.equal(body.html, ARTICLE);
    assert.equal(body.debug.engine_attempts[0]?.outcome, 'captured');
    assert.equal(body.debug.content_type, 'text/html; charset=utf-8');
    assert.equal(body.debug.charset, 'utf-8');
    assert.equal(body.debug.html_bytes, Buffer.byteLength(ARTICLE));
    assert.ok(body.debug.stored_bytes > 0 && body.debug.stored_bytes < body.debug.html_bytes);
    assert.equal(body.debug.partial, false);
    assert.equal(body.debug.filtered, false);
    assert.deepEqual(Object.keys(body.debug.timings), ['response', 'body', 'host_wait']);
  });

  // Checks: interface-1.3, interface-3, interface-4.3
  test(`a dump's dom_id extracts without another fetch (variant ${as})`, async () => {
    const dumped = await dump({ url: article(), options: plain() }, as);
    const hits = running.pages.hits('/article');
    const { status, body } = await running.call('/v1/extract', { extract: { dom_id: dumped.body.dom_id } }, { as });
    assert.equal(status, 200);
    assert.equal(body.result.title, 'The market by the harbour');
    assert.equal(running.pages.hits('/article'), hits);
  });
}

// Checks: interface-2.4-options
test('options may be left out, and the engine then is auto', async () => {
  const { status, body } = await dump({ url: article() });
  assert.equal(status, 200);
  assert.equal(body.engine, 'http');
  assert.equal((await dump({ url: article(), options: {} })).status, 200);
});

for (const name of ENGINE_PREFERENCES) {
  // Checks: interface-2.4-engine-preference
  test(`engine_preference ${name} is accepted and captures`, async () => {
    const { status, body } = await dump({ url: article(), options: { engine_preference: name, timeout_ms: 60_000 } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.engine, name === 'auto' ? 'http' : name.replace('vendor_', 'acme_'));
    assert.match(body.html, /The market by the harbour/);
  });
}

// Checks: interface-2.4-engine-preference
test("the engine family's own names are accepted", async () => {
  const { status, body } = await dump({
    url: article(),
    options: { engine_preference: 'acme_dcl', timeout_ms: 60_000 },
  });
  assert.equal(status, 200);
  assert.equal(body.engine, 'acme_dcl');
});

// Checks: interface-2.4-engine-preference
test('the alias domstable is accepted, and the answer gives the name dom', async () => {
  for (const engine_preference of ['vendor_domstable', 'acme_domstable']) {
    const { status, body } = await dump({ url: article(), options: { engine_preference, timeout_ms: 60_000 } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.engine, 'acme_dom');
  }
});

// Checks: interface-2.4-filter-scripts-styles
test('filter_scripts_styles removes scripts and styles from the returned and the stored page', async () => {
  const { body } = await dump({ url: article(), options: plain({ filter_scripts_styles: true }) });
  const { html } = body;
  assert.equal(body.debug.filtered, true);
  for (const gone of [/<script/, /<style/, /rel="stylesheet"/, /as="script"/]) assert.doesNotMatch(html, gone);
  for (const kept of [/<noscript>/, /onclick="return false"/, /rel="canonical"/, /<article>/]) assert.match(html, kept);
  const again = await running.call('/v1/extract', {
    extract: { dom_id: body.dom_id },
    trace: { include_raw_dom: true, include_steps: true },
  });
  assert.equal(again.body.raw_dom, html);
  const snapshot = findStep(again.body, 'snapshot');
  assert.equal(snapshot.detail['filtered'], true);
});

// Checks: interface-2.4-filter-scripts-styles
test('filter_scripts_styles defaults to false', async () => {
  const { body } = await dump({ url: article(), options: plain() });
  assert.match(body.html, /<script>/);
  assert.equal(
    (await dump({ url: article(), options: plain({ filter_scripts_styles: false }) })).body.debug.filtered,
    false,
  );
});

// Checks: interface-2.4-timeout-ms, interface-7-502
test('timeout_ms bounds the whole request', async () => {
  const answer = await dump({ url: `${running.pages.url}/hang`, options: plain({ timeout_ms: 2000 }) });
  assertRefused(answer, 'fetch_timeout', /^no page after \d+ ms of fetching; the limit is \d+ ms$/, 'fetch');
});

// Checks: interface-8
test('a timeout_ms over 120000 counts as 120000', async () => {
  for (const timeout_ms of [120_001, 9_000_000]) {
    const { status, body } = await dump({ url: article(), options: plain({ timeout_ms }) });
    assert.equal(status, 200, JSON.stringify(body));
  }
});

// Checks: interface-2.5
test('redirects show in final_url and debug', async () => {
  const { body } = await dump({ url: `${running.pages.url}/redirect`, options: plain() });
  assert.equal(body.url, `${running.pages.url}/redirect`);
  assert.equal(body.final_url, article());
  assert.deepEqual(body.debug.redirects, [{ url: `${running.pages.url}/redirect`, status_code: 302 }]);
});

const wrongShapes: readonly (readonly [name: string, body: unknown, message: RegExp])[] = [
  ['no url', {}, /^url: is required/],
  ['the shape of an extract', { extract: { url: 'https://a.example/' } }, /url: is required.*extract: unknown field/],
  ['a number as url', { url: 7 }, /^url: must be a string/],
  ['an empty url', { url: '' }, /^url: must not be empty/],
  ['a body that is an array', [], /^body: must be an object/],
  ['options as an array', { url: 'https://a.example/', options: [] }, /^options: must be an object/],
  ['an unknown option', { url: 'https://a.example/', options: { timeout: 1 } }, /options\.timeout: unknown field/],
  [
    'an unknown engine',
    { url: 'https://a.example/', options: { engine_preference: 'firefox' } },
    /^options\.engine_preference: must be one of auto, http, chrome, /,
  ],
  [
    'a number as engine',
    { url: 'https://a.example/', options: { engine_preference: 1 } },
    /^options\.engine_preference: /,
  ],
  [
    'a string as timeout_ms',
    { url: 'https://a.example/', options: { timeout_ms: '30000' } },
    /^options\.timeout_ms: must be a number/,
  ],
  [
    'a fraction as timeout_ms',
    { url: 'https://a.example/', options: { timeout_ms: 0.5 } },
    /^options\.timeout_ms: must be an integer/,
  ],
  [
    'a timeout_ms of 0',
    { url: 'https://a.example/', options: { timeout_ms: 0 } },
    /^options\.timeout_ms: must be at least 1$/,
  ],
  [
    'a string as filter_scripts_styles',
    { url: 'https://a.example/', options: { filter_scripts_styles: 'yes' } },
    /^options\.filter_scripts_styles: must be true or false/,
  ],
];
for (const [name, body, message] of wrongShapes) {
  // Checks: interface-2.4-url, interface-2.4-options, interface-2.4-engine-preference, interface-2.4-timeout-ms
  // Checks: interface-2.4-filter-scripts-styles, interface-4.2
  test(`dump refuses ${name}`, async () => {
    assertRefused(await dump(body), 'invalid_request', message);
  });
}
