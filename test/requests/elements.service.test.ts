import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from '../support/assert-refused.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { ARTICLE } from '../support/test-pages.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const article = () => `${running.pages.url}/article`;
const extract = (options: object, more: object = { url: article() }) =>
  running.call('/v1/extract', { extract: { ...more, formats: ['markdown'], options } });
const dump = (options: object) => running.call('/v1/dom/dump', { url: article(), options });

test('include_tags of an extract select its main content, and the snapshot is the whole page', async () => {
  const { status, body } = await extract({ include_tags: ['nav', 'h1'] });
  assert.equal(status, 200, JSON.stringify(body));
  const { result } = body;
  assert.match(result.main_text, /Home[^]*Contact[^]*The market by the harbour/);
  assert.doesNotMatch(result.main_text + result.markdown, /fishermen/);
  assert.deepEqual([result.title, result.author], ['The market by the harbour', 'Ada Example']);
  assert.equal(findStep(body, 'match').detail['template_id'], 'generic:v1');
  const again = await extract({}, { dom_id: body.metadata.dom_id });
  assert.match(again.body.result.main_text, /fishermen/);
});

test('exclude_tags of an extract remove elements from content, links and images', async () => {
  const { body } = await extract({ exclude_tags: ['nav', 'article > p:first-of-type', 'img'] });
  assert.match(body.result.main_text, /fishermen/);
  const whole = await extract({});
  assert.ok(body.result.main_text.length < whole.body.result.main_text.length * 0.7);
  assert.deepEqual(body.result.images, []);
  assert.ok(!body.result.links.some(({ text }) => text === 'Home'));
});

test('elements are selected from a stored snapshot too', async () => {
  const { body } = await dump({});
  const { body: answer } = await extract({ include_tags: ['h1'] }, { dom_id: body.dom_id });
  assert.equal(answer.result.main_text, 'The market by the harbour');
});

test('a dump with selected elements returns and stores only those', async () => {
  const { body } = await dump({ include_tags: ['article'], exclude_tags: ['p'] });
  assert.match(body.html, /<title>The market by the harbour<\/title>[^]*<body><article>[^]*<h1>/);
  assert.doesNotMatch(body.html, /<p|<nav/);
  assert.equal(body.debug.filtered, true);
  assert.equal(body.debug.html_bytes, Buffer.byteLength(body.html));
});

test('a batch selects the elements in its options', async () => {
  const { body } = await dump({});
  const options = { include_tags: ['h1'] };
  const made = await running.call('/v1/batches', { dom_ids: [body.dom_id], options });
  const { id } = (made.body as unknown as { batch: { id: string } }).batch;
  const read = async (): Promise<string> => {
    const headers = { 'X-API-Key': running.secrets.key_only };
    return (await fetch(`${running.url}/v1/batches/${id}/results`, { headers })).text();
  };
  let lines = '';
  while ((lines = await read()) === '') await new Promise((resolve) => setTimeout(resolve, 50));
  const { result } = JSON.parse(lines) as { result: { main_text: string } };
  assert.equal(result.main_text, 'The market by the harbour');
});

test('include_tags without a match is 422 no_template_matched', async () => {
  assertRefused(await extract({ include_tags: ['#nothing'] }), 'no_template_matched', /no main content/, 'match');
});

for (const field of ['include_tags', 'exclude_tags']) {
  // Checks: threat-selectors
  test(`${field} with an invalid selector is 400 with the path`, async () => {
    for (const selector of ['a[', 'p::before', ':nonsense']) {
      const path = new RegExp(`options\\.${field}\\[1\\]: is not a CSS selector`);
      assertRefused(await extract({ [field]: ['p', selector] }), 'invalid_request', path);
      assertRefused(await dump({ [field]: ['p', selector] }), 'invalid_request', path);
    }
    assertRefused(await extract({ [field]: [''] }), 'invalid_request', /must not be empty/);
    assertRefused(await extract({ [field]: Array(21).fill('p') }), 'invalid_request', /must have at most 20 items/);
  });

  // Checks: threat-selectors
  test(`${field} that matches 100,000 elements has a bounded answer, and a too expensive selector is 400`, async () => {
    const html = `<title>Many</title><body>${'<p>word</p>'.repeat(100_000)}<h1>End</h1></body>`;
    const { body } = await running.call('/v1/snapshots', { url: 'https://example.com/', html });
    const choose = (selector: string) =>
      running.call('/v1/extract', { extract: { dom_id: body.dom_id, options: { [field]: [selector] } } });
    const matched = await choose('p');
    assert.ok(
      matched.status === 200 || matched.body.error.code === 'no_template_matched',
      JSON.stringify(matched.body),
    );
    assertRefused(
      await choose('b ~ p'),
      'invalid_request',
      /^include_tags, exclude_tags: the selectors visit too many/,
    );
  });
}

test('an extract with selected elements stores the whole fetched page', async () => {
  const { body } = await running.call('/v1/extract', {
    extract: { url: article(), options: { exclude_tags: ['nav'] } },
    trace: { include_raw_dom: true },
  });
  assert.equal(body.raw_dom, ARTICLE);
});
