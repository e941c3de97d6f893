import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseNulInBody } from './refuse-nul-in-body.ts';

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
