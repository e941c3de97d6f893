import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkJsonStructure, MAX_JSON_DEPTH, MAX_JSON_FIELDS, MAX_JSON_VALUES } from './json-structure.ts';

const check = (text: string): void => checkJsonStructure(Buffer.from(text));

// Checks: threat-body-parsing
test('nesting, values and fields are counted up to their limits, outside strings', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  check(nested(MAX_JSON_DEPTH));
  assert.throws(() => check(nested(MAX_JSON_DEPTH + 1)), {
    code: 'invalid_request',
    message: /deeper than 64 levels$/,
  });
  check(`[${'[],'.repeat(1000)}[]]`);
  const list = (values: number): string => `[${'1,'.repeat(values - 2)}1]`;
  check(list(MAX_JSON_VALUES));
  assert.throws(() => check(list(MAX_JSON_VALUES + 1)), { message: /more than 250000 values$/ });
  const object = (fields: number): string => `{${'"a":1,'.repeat(fields - 1)}"a":1}`;
  check(object(MAX_JSON_FIELDS));
  assert.throws(() => check(object(MAX_JSON_FIELDS + 1)), { message: /more than 10000 fields$/ });
  check(JSON.stringify(['[{'.repeat(200_000), `\\"${',:'.repeat(300_000)}`, '\\', '"']));
});

test('malformed text is left to the parser', () => {
  for (const text of ['', ']]]]', '"', '"\\', '"\\"', '{"a', '\u0000', '}{']) check(text);
});
