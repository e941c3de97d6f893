import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectConstructed, EXPONENTIAL, lint } from './lint-expressions.ts';

test('regular expressions that modules construct take no exponential time', async () => {
  assert.deepEqual(lint(EXPONENTIAL, [], await collectConstructed()), []);
});
