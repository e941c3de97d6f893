import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { batchRequestSchema } from '../api/batches.ts';
import { dumpRequestSchema, extractRequestSchema } from '../api/requests.ts';
import { checkTemplate } from '../api/templates.ts';
import { validate } from './validation.ts';

const url = 'https://example.com/';
const explain = (schema: z.ZodType, body: unknown): string => {
  const checked = validate(schema, body);
  assert.ok(!checked.ok);
  return checked.message;
};

test('a field is reported with its first fault only', () => {
  const extract = extractRequestSchema();
  assert.equal(
    explain(extract, { extract: { url, formats: 'html' } }),
    'extract.formats: must be an array, not a string',
  );
  const huge = explain(dumpRequestSchema(), { url, options: { timeout_ms: 2 ** 53 } });
  assert.equal(huge.match(/timeout_ms/g)?.length, 1, huge);
  assert.equal(
    explain(extract, { extract: { url: '', dom_id: 7, more: 1 }, other: 1 }),
    'extract.url: must not be empty; extract.dom_id: must be a string, not a number; extract.more: unknown field; other: unknown field',
  );
});

test('a field with an empty name is shown as ""', () => {
  assert.equal(explain(dumpRequestSchema(), { url, '': 1 }), '"": unknown field');
  assert.equal(explain(dumpRequestSchema(), { url, options: { '': 1 } }), 'options."": unknown field');
});

test('messages state limits and choices in our wording', () => {
  const dump = (options: object) => explain(dumpRequestSchema({ engineFamily: 'acme' }), { url, options });
  assert.equal(dump({ timeout_ms: 120_001 }), 'options.timeout_ms: must be at most 120000');
  assert.equal(dump({ timeout_ms: 0 }), 'options.timeout_ms: must be at least 1');
  assert.equal(dump({ timeout_ms: 1.5 }), 'options.timeout_ms: must be an integer');
  assert.match(
    dump({ engine_preference: 'opera' }),
    /^options\.engine_preference: must be one of auto, http, chrome, /,
  );
  assert.equal(
    explain(extractRequestSchema(), { extract: { url, formats: ['markdown', 'html', 'stated', 'html'] } }),
    'extract.formats: must have at most 3 items',
  );
});

test("no message contains the validator's wording", () => {
  const schemas: readonly z.ZodType[] = [
    extractRequestSchema(),
    dumpRequestSchema(),
    batchRequestSchema(),
    z.strictObject({ extract: z.iso.datetime(), url: z.union([z.int(), z.null()]), options: z.string().regex(/a/) }),
    z.strictObject({ extract: z.record(z.string(), z.int()), url: z.int().multipleOf(5), options: z.literal('x') }),
  ];
  const values: readonly unknown[] = [null, 0, 1.5, '', 'x', true, [], [null], {}, { url: 7 }, { x: 1 }];
  const bodies = values.flatMap((value) => [
    value,
    { extract: value, url: value, options: value, urls: value, webhook: value },
    { extract: { url: value, dom_id: value, formats: value }, workflow: { match_timeout_ms: value }, trace: value },
    { url, options: { engine_preference: value, timeout_ms: value, filter_scripts_styles: value } },
  ]);
  for (const schema of schemas) {
    for (const body of bodies) {
      const checked = validate(schema, body);
      if (!checked.ok) assert.doesNotMatch(checked.message, /Invalid|Too (?:big|small)|Unrecognized|expected|received/);
    }
  }
  const template = checkTemplate({ version: 1.5, fields: 7, hosts: 'x' });
  assert.ok(!template.ok);
  assert.doesNotMatch(template.message, /Invalid|Too (?:big|small)|Unrecognized|expected|received/);
});
