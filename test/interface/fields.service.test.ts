import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extractResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const extract = (fields: unknown, path = '/product') =>
  running.call('/v1/extract', { extract: { url: running.pages.url + path, fields } });

// Checks: interface-2.3
test('requested fields are read by CSS, XPath and paths in JSON-LD, with their types', async () => {
  const { status, body } = await extract([
    { name: 'heading', selector: 'main h1' },
    { name: 'by_xpath', selector: '//h1' },
    { name: 'by_prefix', selector: 'css=title' },
    { name: 'price', selector: 'Product:offers.price', type: 'number' },
    { name: 'image', selector: 'meta[property="og:image"]', attribute: 'content', type: 'url' },
    { name: 'changed', selector: 'meta[property="article:modified_time"]', attribute: 'CONTENT', type: 'date' },
    { name: 'paragraphs', selector: 'main p', all: true },
    { name: 'numbers', selector: 'main p', type: 'number', all: true },
    { name: 'absent', selector: '.absent' },
  ]);
  assert.equal(status, 200);
  extractResponseSchema.strict().parse(body);
  const { paragraphs, ...fields } = body.result.fields;
  assert.deepEqual(fields, {
    heading: 'Oak table',
    by_xpath: 'Oak table',
    by_prefix: 'Oak table',
    price: 249,
    image: `${running.pages.url}/oak.jpg`,
    changed: '2024-05-07T09:00:00Z',
    numbers: [],
    absent: null,
  });
  assert.ok(Array.isArray(paragraphs) && paragraphs.length === 2);
  assert.deepEqual(body.metadata.warnings, []);
});

// Checks: interface-2.3
test('requested fields are read from a snapshot and in a batch too', async () => {
  const fields = [{ name: 'heading', selector: 'h1' }];
  const { body } = await extract(fields);
  const again = await running.call('/v1/extract', { extract: { dom_id: body.result.dom_id, fields } });
  assert.deepEqual(again.body.result.fields, { heading: 'Oak table' });
  const created = await running.call('/v1/batches', { dom_ids: [body.result.dom_id], fields });
  const { id } = (created.body as unknown as { batch: { id: string } }).batch;
  const headers = { 'X-API-Key': running.secrets.key_only };
  const read = async (path: string): Promise<string> => (await fetch(running.url + path, { headers })).text();
  while ((JSON.parse(await read(`/v1/batches/${id}`)) as { batch: { state: string } }).batch.state === 'running')
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { result } = JSON.parse(await read(`/v1/batches/${id}/results`)) as typeof body;
  assert.deepEqual(result.fields, { heading: 'Oak table' });
});

// Checks: interface-2.3
test('without requested fields the answer has none', async () => {
  assert.equal('fields' in (await extract([])).body.result, false);
});

// Checks: threat-selectors, interface-2.3
test('a selector that matches 100,000 elements is bounded, and a warning says so', async () => {
  const { status, body } = await extract(
    [
      { name: 'first', selector: 'i' },
      { name: 'every', selector: 'i', all: true },
      { name: 'deep', selector: '//i[count(preceding::i) > 5]', all: true },
      { name: 'heading', selector: 'css=h1' },
    ],
    '/many-elements',
  );
  assert.equal(status, 200);
  const { every, deep } = body.result.fields;
  assert.ok(Array.isArray(every) && every.length <= 1000);
  assert.ok(Array.isArray(deep) && deep.length <= 1000);
  const failed = body.metadata.warnings.filter(({ code }) => code === 'field_failed');
  assert.ok(
    failed.some(({ message }) => message.startsWith('fields.every: the selectors of the template visited more')),
  );
});

const REFUSED: readonly (readonly [what: string, fields: unknown, message: RegExp])[] = [
  ['fields that are not an array', {}, /extract\.fields: must be an array/],
  ['a field without a selector', [{ name: 'a' }], /extract\.fields\[0\]\.selector: is required/],
  ['a field without a name', [{ selector: 'p' }], /extract\.fields\[0\]\.name: is required/],
  ['an empty selector', [{ name: 'a', selector: '' }], /extract\.fields\[0\]\.selector: must not be empty/],
  [
    'invalid CSS',
    [
      { name: 'a', selector: 'p' },
      { name: 'b', selector: 'p[' },
    ],
    /extract\.fields\[1\]\.selector: \S/,
  ],
  ['an unknown pseudo-class', [{ name: 'a', selector: 'p:shiny(2)' }], /extract\.fields\[0\]\.selector: .*shiny/],
  ['invalid XPath', [{ name: 'a', selector: '//p[' }], /extract\.fields\[0\]\.selector: \S/],
  [
    'a function that XPath does not have',
    [{ name: 'a', selector: '//p[document("x")]' }],
    /extract\.fields\[0\]\.selector: .*document/,
  ],
  [
    'an invalid JSON-LD path',
    [{ name: 'a', selector: 'json_ld=a b' }],
    /extract\.fields\[0\]\.selector: must be a type and a path/,
  ],
  ['an invalid name', [{ name: '__proto__', selector: 'p' }], /extract\.fields\[0\]\.name: must be a letter/],
  [
    'duplicate names',
    [
      { name: 'a', selector: 'p' },
      { name: 'a', selector: 'i' },
    ],
    /extract\.fields: must have different names/,
  ],
  [
    'an unknown type',
    [{ name: 'a', selector: 'p', type: 'list' }],
    /extract\.fields\[0\]\.type: must be one of text, number, date, url/,
  ],
  ['an expression', [{ name: 'a', selector: 'p', script: '1 + 1' }], /extract\.fields\[0\]\.script: unknown field/],
  [
    'an invalid attribute',
    [{ name: 'a', selector: 'p', attribute: 'a b' }],
    /extract\.fields\[0\]\.attribute: must be the name of an attribute/,
  ],
  [
    'a selector that is too long',
    [{ name: 'a', selector: 'p'.repeat(1001) }],
    /extract\.fields\[0\]\.selector: must have at most 1000 characters/,
  ],
  [
    'too many fields',
    Array.from({ length: 51 }, (_, index) => ({ name: `f${index}`, selector: 'p' })),
    /extract\.fields: must have at most 50 items/,
  ],
];
for (const [what, fields, message] of REFUSED) {
  // Checks: threat-selectors, interface-2.3
  test(`requested fields refuse ${what}, before the page is fetched`, async () => {
    const hits = running.pages.hits('/product');
    assertRefused(await extract(fields), 'invalid_request', message, 'request');
    assert.equal(running.pages.hits('/product'), hits);
  });
}
