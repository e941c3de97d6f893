import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectConstructed, EXPONENTIAL, lint, QUADRATIC, SOURCES } from './lint-expressions.ts';

// Checks: threat-regular-expression
test('the linter finds exponential and quadratic regular expressions', () => {
  const complaints = lint(
    { ...QUADRATIC, ...EXPONENTIAL },
    [],
    [
      String.raw`/^(?:,?\s+(?:m\.?d|md)\.?)+(?=$|,)/`,
      String.raw`/\s+$/`,
      String.raw`/^(?:\w+\s?)+$/`,
      String.raw`/^\s*(\d{1,6})\s*(?:px)?\s*$/`,
      String.raw`/(?<!\s)\s+$/`,
    ],
  );
  const lines = complaints.map((line) => /expressions\.ts:(\d+)/.exec(line)?.[1]);
  assert.deepEqual(new Set(lines), new Set(['1', '2', '3', '4']));
});

// Checks: threat-regular-expression
test('regular expressions of the packages take linear time', async () => {
  // The check `lint` finds quadratic time in the sources.
  assert.deepEqual(lint(EXPONENTIAL, SOURCES, []), []);
  assert.deepEqual(lint(QUADRATIC, [], await collectConstructed()), []);
});
