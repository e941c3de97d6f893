import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { batchRequestSchema } from '../api/batches.ts';
import { API_OPERATIONS } from '../api/operations.ts';
import { dumpRequestSchema, extractRequestSchema } from '../api/requests.ts';
import { checkTemplate } from '../api/templates.ts';
import { resolveSchema } from './operation.ts';
import type { Operation } from './operation.ts';
import { describeReduced, validate, withoutUnset } from './validation.ts';

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

test('an unknown field suggests the field that is probably meant, wherever the body has it', () => {
  const extract = (body: object) => explain(extractRequestSchema(), body);
  assert.equal(
    extract({ extract: { url, format: 'markdown' } }),
    'extract.format: unknown field (did you mean extract.formats?)',
  );
  assert.equal(
    extract({ extract: { url, engine: 'http' }, trace: { includeSteps: true } }),
    'extract.engine: unknown field (did you mean extract.options.engine_preference?); ' +
      'trace.includeSteps: unknown field (did you mean trace.include_steps?)',
  );
  assert.equal(
    extract({ extract: { url }, options: { timeout_ms: 5000 } }),
    'options: unknown field (did you mean extract.options?)',
  );
  assert.equal(extract({ url }), 'extract: is required; url: unknown field (did you mean extract.url?)');
  // Fields that are given and fields of lists are not meant.
  assert.equal(extract({ extract: { url, Url: url } }), 'extract.Url: unknown field');
  assert.match(
    extract({ extract: { url, options: { cookies: [{ name: 'a', value: 'b', domains: 'c' }] } } }),
    /^extract\.options\.cookies\[0\]\.domains: unknown field$/,
  );
});

test('a field with an empty name is shown as ""', () => {
  assert.equal(explain(dumpRequestSchema(), { url, '': 1 }), '"": unknown field');
  assert.equal(explain(dumpRequestSchema(), { url, options: { '': 1 } }), 'options."": unknown field');
});

test('messages state limits and choices in our wording', () => {
  const dump = (options: object) => explain(dumpRequestSchema({ engineFamily: 'acme' }), { url, options });
  assert.equal(dump({ wait_for: 120_001 }), 'options.wait_for: must be at most 120000');
  assert.equal(dump({ timeout_ms: 0 }), 'options.timeout_ms: must be at least 1');
  assert.equal(explain(z.object({ share: z.number().gt(0) }), { share: 0 }), 'share: must be more than 0');
  assert.equal(dump({ timeout_ms: 1.5 }), 'options.timeout_ms: must be an integer');
  for (const number of [z.coerce.number(), z.coerce.number().int()])
    assert.match(explain(z.object({ status: number }), { status: '4xx' }), /^status: must be (?:a number|an integer)$/);
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

/** Adds every optional field that a body lacks, at all depths, with the value that clients write for an unset one. */
function fillUnset(schema: z.core.$ZodType, body: unknown, unset: '' | null): unknown {
  if (schema instanceof z.ZodOptional) return fillUnset(schema.unwrap(), body, unset);
  if (schema instanceof z.ZodPipe) return fillUnset(schema.in, body, unset);
  if (schema instanceof z.ZodArray && Array.isArray(body))
    return body.map((item) => fillUnset(schema.element, item, unset));
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null) return body;
  const given = new Map(Object.entries(body));
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    if (given.has(name)) return [[name, fillUnset(field, given.get(name), unset)] as const];
    return field.isOptional() && !field.safeParse(unset).success ? [[name, unset] as const] : [];
  });
  return Object.fromEntries(fields);
}

test('optional fields that are null or empty count as absent in the bodies of all public operations', () => {
  const rows = Object.values(API_OPERATIONS).flatMap((surface) => Object.values<Operation>(surface));
  let filled = 0;
  for (const { path, body: source, example } of rows) {
    if (source === undefined || example === undefined || path === '/mcp') continue;
    const schema = resolveSchema(source, {});
    for (const unset of [null, ''] as const) {
      const body = fillUnset(schema, example, unset);
      if (JSON.stringify(body) !== JSON.stringify(example)) filled += 1;
      assert.deepEqual(validate(schema, withoutUnset(schema, body)), validate(schema, example), `${path} ${unset}`);
      assert.ok(validate(schema, example).ok, path);
    }
  }
  assert.ok(filled >= 10, `${filled} bodies have optional fields`);
});

test('required fields, unknown fields and items of lists are refused if they are null or empty', () => {
  const schema = extractRequestSchema();
  const read = (extract: unknown) => explain(schema, withoutUnset(schema, { extract }));
  assert.equal(read({ url: null, dom_id: '' }), 'extract: needs at least one of url and dom_id');
  assert.equal(read(null), 'extract: must be an object, not null');
  assert.equal(read({ url, urll: null }), 'extract.urll: unknown field');
  assert.equal(read({ url, options: { include_tags: [''] } }), 'extract.options.include_tags[0]: must not be empty');
  assert.match(
    read({ url, options: { cookies: [{ name: 'a', value: null }] } }),
    /^extract\.options\.cookies\[0\]\.value/,
  );
  assert.match(read({ url, options: { headers: { 'x-a': null } } }), /^extract\.options\.headers\.x-a/);
  const cookies = [{ name: 'a', value: '', domain: '', path: null }];
  assert.deepEqual(withoutUnset(schema, { extract: { url, options: { cookies, wait_for: '' } }, trace: null }), {
    extract: { url, options: { cookies: [{ name: 'a', value: '' }] } },
  });
});

test('time limits above the longest count as the longest, and are named', () => {
  const schema = extractRequestSchema({ limits: { maxTimeoutMs: 5000, maxUrlLength: 100 } });
  const body = {
    extract: { url, options: { timeout_ms: 5001 } },
    workflow: { match_timeout_ms: 9e15, extract_timeout_ms: 5000 },
  };
  const read = validate(schema, body);
  assert.ok(read.ok);
  assert.equal(read.value.extract.options?.timeout_ms, 5000);
  assert.deepEqual(describeReduced(body, read.value), {
    reduced: { 'extract.options.timeout_ms': 5000, 'workflow.match_timeout_ms': 5000 },
  });
  assert.deepEqual(describeReduced({ extract: { url } }, { extract: { url } }), {});
});

test('a refused value is told its choices, of which there may be only one', () => {
  const schema = z.object({ a: z.literal(1), b: z.enum(['x', 'y']) });
  const checked = validate(schema, { a: 2, b: 'z' });
  assert.equal(checked.ok ? '' : checked.message, 'a: must be 1; b: must be one of x, y');
});
