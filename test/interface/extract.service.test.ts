import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extractResponseSchema } from '@winnow/contract';
import { WinnowClient } from '../../packages/client/src/index.ts';
import { assertRefused } from '../support/assert-refused.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const article = () => `${running.pages.url}/article`;
const extract = (body: unknown, as: 'A' | 'B' = 'B') => running.call('/v1/extract', body, { as });

async function takeSnapshot(path = '/article'): Promise<string> {
  const { body } = await running.call('/v1/dom/dump', {
    url: running.pages.url + path,
    options: { engine_preference: 'http' },
  });
  return body.dom_id ?? body.metadata.dom_id;
}

for (const as of ['A', 'B'] as const) {
  // Checks: interface-1.1, interface-2.2-request-id, interface-2.2-result, interface-2.2-metadata, interface-2.3
  // Checks: interface-4.1-behaviour-1
  test(`extract of a url returns every field (variant ${as})`, async () => {
    const answer = await extract({ extract: { url: article() } }, as);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('Content-Type') ?? '', /^application\/json/);
    const body = extractResponseSchema.strict().parse(answer.body);
    assert.equal(body.request_id, answer.headers.get('X-Request-ID'));
    assert.equal(body.result.url, article());
    assert.equal(body.result.final_url, article());
    assert.equal(body.result.status_code, 200);
    assert.equal(body.result.title, 'The market by the harbour');
    assert.equal(body.result.description, 'What is sold at the harbour.');
    assert.match(body.result.main_text, /fishermen sell there/);
    assert.equal(body.result.publish_time, '2024-05-06T07:08:09+02:00');
    assert.equal(body.result.author, 'Ada Example');
    assert.equal(body.result.language, 'en');
    assert.ok(body.result.links.some((link) => link.url === `${running.pages.url}/more` && link.internal));
    assert.ok(
      body.result.images.some((image) => image.url === `${running.pages.url}/fish.png` && image.alt === 'Fish'),
    );
    assert.equal(body.result.engine, 'http');
    assert.match(body.result.dom_id, /^dom_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.equal(body.result.template_id, 'generic:v1');
    assert.equal(body.template_id, 'generic:v1');
    assert.equal(body.metadata.template_id, 'generic:v1');
    assert.equal(body.metadata.dom_id, body.result.dom_id);
    assert.ok(body.metadata.server_elapsed_ms > 0);
    assert.equal(new Date(body.metadata.fetched_at).toISOString(), body.metadata.fetched_at);
    assert.equal('error' in answer.body, false);
    assert.equal('raw_dom' in answer.body, false);
  });

  // Checks: interface-2.1-url, interface-2.1-dom-id, interface-4.1-behaviour-2
  test(`extract of a dom_id uses the snapshot and fetches nothing (variant ${as})`, async () => {
    const domId = await takeSnapshot();
    const hits = running.pages.hits('/article');
    const { status, body } = await extract({ extract: { dom_id: domId }, trace: { include_steps: true } }, as);
    assert.equal(status, 200);
    assert.equal(running.pages.hits('/article'), hits);
    assert.equal(body.result.dom_id, domId);
    assert.equal(body.result.url, article());
    assert.equal(body.result.engine, 'http');
    const step = findStep(body, 'fetch');
    assert.equal(step.status, 'skipped');
    assert.match(String(step.detail['reason']), /dom_id/);
  });

  // Checks: interface-4.1-behaviour-2
  test(`an unknown dom_id is 404 dom_not_found (variant ${as})`, async () => {
    const answer = await extract({ extract: { dom_id: 'dom_00000000000000000000000000' } }, as);
    assertRefused(answer, 'dom_not_found', /extract\.dom_id/, 'snapshot');
  });

  // Checks: interface-2.1-rule-1, interface-4.1-behaviour-3
  test(`neither url nor dom_id is 400 invalid_request (variant ${as})`, async () => {
    assertRefused(
      await extract({ extract: {} }, as),
      'invalid_request',
      /^extract: needs at least one of url and dom_id/,
    );
  });

  // Checks: interface-2.2-trace, interface-2.2-raw-dom, interface-4.1-behaviour-5
  test(`trace and raw_dom are returned on request (variant ${as})`, async () => {
    const { body } = await extract(
      { extract: { url: article() }, trace: { include_steps: true, include_raw_dom: true } },
      as,
    );
    const stages = body.trace.map((step) => step.stage);
    assert.deepEqual(stages, ['request', 'auth', 'fetch', 'snapshot', 'match', 'generate', 'extract', 'validate']);
    for (const step of body.trace) {
      assert.ok(['ok', 'skipped'].includes(step.status), step.stage);
      assert.ok(step.started_ms >= 0 && step.elapsed_ms >= 0);
      assert.equal(typeof step.detail, 'object');
    }
    assert.match(body.raw_dom, /<article>/);
  });

  // Checks: interface-2.1-include-raw-dom, interface-4.1-behaviour-5
  test(`trace and raw_dom are omitted when switched off (variant ${as})`, async () => {
    const { body } = await extract(
      { extract: { url: article() }, trace: { include_steps: false, include_raw_dom: false } },
      as,
    );
    assert.equal('trace' in body, false);
    assert.equal('raw_dom' in body, false);
  });
}

// Checks: interface-2.1-include-steps
test('include_steps defaults to false (variant A)', async () => {
  const { body } = await extract({ extract: { url: article() } }, 'A');
  assert.equal('trace' in body, false);
  const withEmpty = await extract({ extract: { url: article() }, trace: {} }, 'A');
  assert.equal('trace' in withEmpty.body, false);
});

// Checks: interface-2.1-include-steps, interface-2.1-rule-2
test('include_steps defaults to true (variant B)', async () => {
  const { body } = await extract({ extract: { url: article() } }, 'B');
  assert.ok(Array.isArray(body.trace));
  const withEmpty = await extract({ extract: { url: article() }, trace: {} }, 'B');
  assert.ok(Array.isArray(withEmpty.body.trace));
});

// Checks: interface-2.1-include-steps
test('a truncated page is reported as partial, also without a trace', async () => {
  const torn = await extract({ extract: { url: `${running.pages.url}/torn` } }, 'A');
  assert.equal(torn.status, 200);
  assert.equal(torn.body.metadata.partial, true);
  assert.equal('partial' in (await extract({ extract: { url: article() } }, 'A')).body.metadata, false);
});

// Checks: interface-2.1-rule-2
test('workflow is checked and ignored (variant A)', async () => {
  const dom_id = await takeSnapshot('/large');
  const workflow = { match_timeout_ms: 1, generate_timeout_ms: 1, extract_timeout_ms: 1 };
  const ignored = await extract({ extract: { dom_id }, workflow, trace: { include_steps: true } }, 'A');
  assert.equal(ignored.status, 200, JSON.stringify(ignored.body.error));
  assert.equal(findStep(ignored.body, 'request').detail['ignored'], 'workflow');
  const wrong = await extract({ extract: { dom_id }, workflow: { match_timeout_ms: 0 } }, 'A');
  assertRefused(wrong, 'invalid_request', /^workflow\.match_timeout_ms: must be at least 1$/);
  const unknown = await extract({ extract: { dom_id }, workflow: { more: 1 } }, 'A');
  assertRefused(unknown, 'invalid_request', /^workflow\.more: unknown field$/);
});

// Checks: interface-2.1-rule-2
test('the published client may send workflow with a project key', async () => {
  const client = new WinnowClient({
    baseUrl: running.url,
    apiKey: running.secrets.project,
    projectId: running.projectId,
  });
  const workflow = { match_timeout_ms: 30_000, generate_timeout_ms: 30_000, extract_timeout_ms: 30_000 };
  const { result } = await client.extract({ extract: { url: article() }, workflow });
  assert.equal(result.title, 'The market by the harbour');
});

// Checks: interface-2.2-metadata
test('times are whole milliseconds', async () => {
  const answers = [await extract({ extract: { url: article() } }), await extract({ extract: { dom_id: 'none' } })];
  assert.ok(Number.isInteger(answers[0]?.body.metadata.server_elapsed_ms));
  for (const { body } of answers) {
    for (const { started_ms, elapsed_ms } of body.trace) {
      assert.ok(Number.isInteger(started_ms) && Number.isInteger(elapsed_ms), JSON.stringify(body.trace));
    }
  }
  const [fetched] = answers;
  assert.ok(fetched);
  for (const { elapsed_ms } of findStep(fetched.body, 'fetch').detail.engine_attempts ?? []) {
    assert.ok(Number.isInteger(elapsed_ms));
  }
});

// Checks: interface-2.1-rule-2, interface-2.1-rule-3
test('workflow may be given whole, in part, empty or not at all (variant B)', async () => {
  const dom_id = await takeSnapshot();
  const whole = { match_timeout_ms: 5000, generate_timeout_ms: 5000, extract_timeout_ms: 5000 };
  for (const workflow of [whole, { match_timeout_ms: 30_000 }, { generate_timeout_ms: 120_000 }, {}, undefined]) {
    const { status } = await extract({ extract: { dom_id }, workflow });
    assert.equal(status, 200, JSON.stringify(workflow));
  }
  // The smallest value is accepted; whether the page is matched within it depends on the machine.
  const { status, body } = await extract({ extract: { dom_id }, workflow: { match_timeout_ms: 1 } });
  assert.ok(status === 200 || body.error.code === 'match_timeout', JSON.stringify(body.error));
});

for (const name of ['match_timeout_ms', 'generate_timeout_ms', 'extract_timeout_ms']) {
  // Checks: interface-2.1-match-timeout-ms, interface-2.1-generate-timeout-ms, interface-2.1-extract-timeout-ms
  // Checks: interface-8
  test(`workflow.${name} is an integer of at least 1`, async () => {
    for (const value of [0, -1, 1.5, '1000', true]) {
      const answer = await extract({ extract: { url: article() }, workflow: { [name]: value } });
      assertRefused(answer, 'invalid_request', new RegExp(`^workflow\\.${name}: `));
    }
  });
}

// Checks: interface-8
test('a time limit above the longest counts as the longest, and the trace says so', async () => {
  const workflow = { match_timeout_ms: 120_001, generate_timeout_ms: 9_000_000, extract_timeout_ms: 120_000 };
  const options = { engine_preference: 'http', timeout_ms: 600_000 };
  const { status, body } = await extract({ extract: { url: article(), options }, workflow });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(findStep(body, 'request').detail.reduced, {
    'extract.options.timeout_ms': 120_000,
    'workflow.match_timeout_ms': 120_000,
    'workflow.generate_timeout_ms': 120_000,
  });
  assert.ok((findStep(body, 'fetch').detail.budget_ms ?? Infinity) <= 120_000);
});

// Checks: interface-2.1-rule-2
test('optional fields that are null or an empty string count as absent', async () => {
  for (const unset of [null, '']) {
    const options = { timeout_ms: unset, headers: unset, wait_for: unset, screenshot: unset, include_tags: unset };
    const wish = { url: article(), dom_id: unset, formats: unset, favor: unset, fields: unset };
    const nested = await extract({ extract: { ...wish, options }, trace: { include_steps: unset } });
    assert.equal(nested.status, 200, JSON.stringify(nested.body));
    assert.equal(nested.body.result.title, 'The market by the harbour');
    assert.ok(Array.isArray(nested.body.trace), 'the default of a standalone key');
    const outer = { extract: { ...wish, options: unset }, trace: unset, workflow: unset };
    const plain = await extract(outer, 'A');
    assert.equal(plain.status, 200, JSON.stringify(plain.body));
    const dumped = await running.call('/v1/dom/dump', { url: article(), options: unset });
    assert.equal(dumped.status, 200, JSON.stringify(dumped.body));
    const batch = await running.call('/v1/batches', { urls: [article()], dom_ids: unset, webhook: unset });
    assert.equal(batch.status, 200, JSON.stringify(batch.body));
    const loaded = await running.call('/v2/scrape', { url: article(), formats: unset, actions: unset, timeout: unset });
    assert.equal(loaded.status, 200, JSON.stringify(loaded.body));
  }
  for (const [path, body] of [
    ['/v1/dom/dump', { url: null }],
    ['/v1/snapshots', { url: article(), html: null }],
    ['/v1/batches', { urls: [null] }],
    ['/v2/scrape', { url: '' }],
    ['/v1/extract', { extract: { url: article(), more: null } }],
  ] as const)
    assert.equal((await running.call(path, body)).status, 400, path);
});

// Checks: interface-2.1-extract-timeout-ms, interface-7-422
test('extract_timeout_ms ends the extraction', async () => {
  const dom_id = await takeSnapshot('/large');
  const answer = await extract({ extract: { dom_id }, workflow: { extract_timeout_ms: 1 } });
  assertRefused(answer, 'extract_timeout', /1 ms/, 'extract');
  assert.equal(answer.body.metadata.dom_id, dom_id);
  assert.equal(answer.body.trace.at(-1)?.status, 'failed');
  const next = await extract({ extract: { dom_id } });
  assert.equal(next.status, 200);
});

// Checks: interface-2.1-rule-1
test("with url and dom_id the snapshot is used, and result.url is the snapshot's", async () => {
  const dom_id = await takeSnapshot();
  const { status, body } = await extract({ extract: { url: `${running.pages.url}/hang`, dom_id } });
  assert.equal(status, 200);
  assert.equal(body.result.url, article());
  assert.equal(body.result.final_url, article());
  assert.equal(body.result.dom_id, dom_id);
  assert.equal(running.pages.hits('/hang'), 0);
});

// Checks: threat-foreign-data, interface-3
test("another project's dom_id is answered like an unknown one", async () => {
  const dom_id = await takeSnapshot();
  const other = 'prj_01J00000000000000000000000';
  await running.store.projects.insert({ id: other, name: 'other', createdAt: new Date(), archivedAt: null });
  const foreign = await running.addKey({ projectId: other, kind: 'key_only' });
  const answer = await running.call(
    '/v1/extract',
    { extract: { dom_id } },
    { as: 'none', headers: { 'X-API-Key': foreign } },
  );
  assertRefused(answer, 'dom_not_found', /another project|no such snapshot/, 'snapshot');
});

// Checks: interface-2.3
test('a redirect shows in final_url, not in url', async () => {
  const { body } = await extract({ extract: { url: `${running.pages.url}/redirect` } });
  assert.equal(body.result.url, `${running.pages.url}/redirect`);
  assert.equal(body.result.final_url, article());
  const { detail } = findStep(body, 'fetch');
  assert.deepEqual(detail['redirects'], [{ url: `${running.pages.url}/redirect`, status_code: 302 }]);
  assert.match(JSON.stringify(detail['engine_attempts']), /"engine":"http"/);
  assert.equal(detail['charset'], 'utf-8');
});

// Checks: interface-beyond
test('auto moves on to a browser when scripts build the page, and the trace gives the reason', async () => {
  const { status, body } = await extract({ extract: { url: `${running.pages.url}/rendered` } });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.result.engine, 'vendor_lite');
  assert.match(body.result.main_text, /fishermen/);
  const attempts = findStep(body, 'fetch').detail['engine_attempts'] as Record<string, unknown>[];
  assert.deepEqual(
    attempts.map(({ engine, outcome }) => `${String(engine)} ${String(outcome)}`),
    ['http rejected', 'vendor_lite captured'],
  );
  assert.match(String(attempts[0]?.['reason']), /shell|too little/);
});

// Checks: interface-2.3
test('formats add further renderings', async () => {
  const { body } = await extract({ extract: { url: article(), formats: ['markdown', 'html'] } });
  assert.match(body.result.markdown, /fishermen/);
  assert.match(body.result.html, /<p>/);
});

// Checks: interface-2.3
test('favor makes the main text shorter or longer', async () => {
  const read = async (favor: string): Promise<string> => {
    const { body } = await extract({ extract: { url: article(), favor } });
    return body.result.main_text;
  };
  const [precise, balanced, complete] = [await read('precision'), await read('balanced'), await read('recall')];
  assert.match(precise, /fishermen/);
  assert.ok(precise.length <= balanced.length && balanced.length <= complete.length);
});

// Checks: threat-hidden-text, interface-2.3
test('text hidden by a loaded style sheet is not in the main text of a rendered page', async () => {
  const options = { engine_preference: 'chrome', timeout_ms: 60_000 };
  const dumped = await running.call('/v1/dom/dump', { url: `${running.pages.url}/hidden-by-sheet`, options });
  assert.equal(dumped.status, 200, JSON.stringify(dumped.body));
  assert.match(dumped.body.html, /<p class="c9" data-winnow-unrendered="">This sentence is hidden/);
  const { dom_id } = dumped.body;
  const { body } = await extract({ extract: { dom_id }, trace: { include_raw_dom: true } });
  assert.equal(body.raw_dom, dumped.body.html);
  assert.doesNotMatch(body.result.main_text, /hidden from every reader/);
  for (const own of [/fishermen/, /Tab one/, /Tab two/, /The first answer/, /The third answer/])
    assert.match(body.result.main_text, own);
  const kept = await extract({ extract: { dom_id, hidden_text: 'keep' } });
  assert.match(kept.body.result.main_text, /hidden from every reader/);
});

// Checks: interface-2.3
test('hidden_text keeps or drops the hidden text of a page', async () => {
  for (const [order, isExpected] of [
    [{}, false],
    [{ hidden_text: 'drop' }, false],
    [{ hidden_text: 'keep' }, true],
  ] as const) {
    const { body } = await extract({ extract: { url: `${running.pages.url}/hidden`, ...order } });
    assert.equal(/hidden from every reader/.test(body.result.main_text), isExpected);
  }
});

// Checks: interface-7-422
test('a page without content is 422 no_template_matched, with its snapshot', async () => {
  const answer = await extract({ extract: { url: `${running.pages.url}/empty` }, trace: { include_raw_dom: true } });
  assertRefused(answer, 'no_template_matched', /^no main content found on the page$/, 'match');
  assert.match(answer.body.metadata.dom_id, /^dom_/);
  assert.match(answer.body.raw_dom, /Nothing here/);
  const match = findStep(answer.body, 'match');
  assert.equal(match.status, 'failed');
});

const wrongShapes: readonly (readonly [name: string, body: unknown, message: RegExp])[] = [
  ['a top-level url', { url: 'https://example.com/' }, /url: unknown field/],
  ['a body that is an array', [], /^body: must be an object/],
  ['a body that is a string', '"text"', /^body: must be an object/],
  ['a body that is null', 'null', /^body: must be an object/],
  ['a body that is a number', '7', /^body: must be an object/],
  ['extract as an array', { extract: [] }, /^extract: must be an object/],
  ['extract as a string', { extract: 'https://example.com/' }, /^extract: must be an object/],
  ['no extract', {}, /^extract: is required/],
  ['a number as url', { extract: { url: 7 } }, /^extract\.url: must be a string/],
  ['a null url', { extract: { url: null } }, /^extract: needs at least one of url and dom_id/],
  ['an empty url', { extract: { url: '' } }, /^extract: needs at least one of url and dom_id/],
  ['an empty dom_id', { extract: { dom_id: '' } }, /^extract: needs at least one of url and dom_id/],
  ['a number as dom_id', { extract: { dom_id: 7 } }, /^extract\.dom_id: must be a string/],
  ['a dom_id that is too long', { extract: { dom_id: 'd'.repeat(200) } }, /^extract\.dom_id: must have at most 128/],
  [
    'a string as include_steps',
    { extract: { url: 'https://a.example/' }, trace: { include_steps: 'true' } },
    /^trace\.include_steps: must be true or false/,
  ],
  [
    'a number as include_raw_dom',
    { extract: { url: 'https://a.example/' }, trace: { include_raw_dom: 1 } },
    /^trace\.include_raw_dom: must be true or false/,
  ],
  ['trace as an array', { extract: { url: 'https://a.example/' }, trace: [] }, /^trace: must be an object/],
  [
    'workflow as a string',
    { extract: { url: 'https://a.example/' }, workflow: 'fast' },
    /^workflow: must be an object/,
  ],
  ['an unknown field', { extract: { url: 'https://a.example/', urll: 'x' } }, /extract\.urll: unknown field/],
  [
    'half a character',
    { extract: { url: 'https://a.example/\ud83d' } },
    /^extract\.url: must not contain half a character/,
  ],
  [
    'a long unknown field',
    { extract: { url: 'https://a.example/', [`x${'😀'.repeat(40)}`]: 1 } },
    /^extract\.x😀+\ufffd…: unknown field/u,
  ],
  ['an unknown field at the top', { extract: { url: 'https://a.example/' }, options: {} }, /options: unknown field/],
  ['an unknown hidden_text', { extract: { url: 'https://a.example/', hidden_text: 'show' } }, /^extract\.hidden_text/],
  ['an unknown favor', { extract: { url: 'https://a.example/', favor: 'speed' } }, /^extract\.favor/],
  ['an unknown format', { extract: { url: 'https://a.example/', formats: ['pdf'] } }, /^extract\.formats\[0\]/],
  ['a __proto__ field', '{"extract":{"url":"https://a.example/"},"__proto__":{"a":1}}', /__proto__: unknown field/],
];
for (const [name, body, message] of wrongShapes) {
  // Checks: interface-2.1-extract, interface-2.1-url, interface-2.1-dom-id, interface-2.1-include-steps
  // Checks: interface-2.1-include-raw-dom, interface-2.1-rule-2, interface-2.3, interface-4.1-behaviour-4
  test(`extract refuses ${name}`, async () => {
    assertRefused(await extract(body), 'invalid_request', message);
  });
}

// Checks: interface-2.2-trace
test('the answer to a refused body has the trace when steps are on', async () => {
  const on = await extract({ extract: {}, trace: { include_steps: true } }, 'A');
  assert.deepEqual(
    on.body.trace.map((step) => step.stage),
    ['request', 'auth'],
  );
  assert.equal(on.body.trace[0]?.status, 'failed');
  const off = await extract({ extract: {} }, 'A');
  assert.equal('trace' in off.body, false);
});

// Checks: interface-2.2-trace
test('a refused target fails the request step of the trace', async () => {
  for (const url of ['file:///etc/passwd', 'http://10.0.0.1/', 'no url']) {
    const { body } = await extract({ extract: { url } }, 'B');
    assert.equal(body.error.stage, 'request');
    assert.equal(findStep(body, 'request').status, 'failed', url);
  }
});

// Checks: interface-2.2-trace
test('a body that cannot be parsed is answered with the default trace of the kind of key', async () => {
  for (const text of ['{"extract"', '', '{"extract":{},"trace":{"include_steps":false}']) {
    const { body } = await running.call('/v1/extract', text, { as: 'B' });
    assert.equal(findStep(body, 'request').status, 'failed', text);
    assert.equal('trace' in (await running.call('/v1/extract', text, { as: 'A' })).body, false);
  }
});
