import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeIssues, dumpRequestSchema, extractRequestSchema } from './requests.ts';

const url = 'https://example.com/';
const explain = (schema: ReturnType<typeof dumpRequestSchema | typeof extractRequestSchema>, body: unknown): string => {
  const { error } = schema.safeParse(body);
  assert.ok(error);
  return describeIssues(error);
};

test('a field is told one fault, its first', () => {
  const extract = extractRequestSchema();
  assert.equal(
    explain(extract, { extract: { url, formats: 'html' } }),
    'extract.formats: expected array, received string',
  );
  const huge = explain(dumpRequestSchema(), { url, options: { timeout_ms: 2 ** 53 } });
  assert.equal(huge.match(/timeout_ms/g)?.length, 1, huge);
  assert.equal(
    explain(extract, { extract: { url: '', dom_id: 7, more: 1 }, other: 1 }),
    'extract.url: must not be empty; extract.dom_id: expected string, received number; extract.more: unknown field; other: unknown field',
  );
});

test('a field without a name is named', () => {
  assert.equal(explain(dumpRequestSchema(), { url, '': 1 }), '"": unknown field');
  assert.equal(explain(dumpRequestSchema(), { url, options: { '': 1 } }), 'options."": unknown field');
});
