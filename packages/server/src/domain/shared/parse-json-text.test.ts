import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkJsonStructure,
  MAX_JSON_DEPTH,
  MAX_JSON_FIELDS,
  MAX_JSON_VALUES,
  refuseNulInBody,
} from './parse-json-text.ts';

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

const refusal = (text: string): string | undefined => {
  try {
    refuseNulInBody(JSON.parse(text) as unknown, text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test('U+0000 in a body is rejected with its JSON path', () => {
  assert.equal(
    refusal('{"extract":{"formats":["html","a\\u0000"]}}'),
    'extract.formats[1]: contains the control character U+0000 at position 1',
  );
  assert.equal(refusal('{"trace":{"a\\u0000":1}}'), 'trace: contains the control character U+0000');
  assert.equal(refusal('"\\u0000"'), 'body: contains the control character U+0000 at position 0');
});

test('an escaped backslash before u0000 is not U+0000', () => {
  assert.equal(refusal('{"a":"\\\\u0000"}'), undefined);
  assert.equal(refusal('{"a":"\\u00001"}'), 'a: contains the control character U+0000 at position 0');
});

test('a deeply nested body is searched completely, and its message stays short', () => {
  const depth = 100_000;
  const message = refusal(`${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`);
  assert.match(message ?? '', /^(?:\[0\]){20}: contains the control character U\+0000 at position 0$/);
});
