import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failLate, within } from './within.ts';

const never = new Promise<string>(() => undefined);

test('work in time settles the result, with its value or its error', async () => {
  assert.equal(await within(Promise.resolve('done'), 60_000), 'done');
  const fault = new Error('broken');
  await assert.rejects(
    within(Promise.reject(fault), 60_000, () => 'late'),
    fault,
  );
});

test('late work is replaced by the result or the error of onLate', async () => {
  assert.equal(await within(never, 1), undefined);
  assert.equal(await within(never, -1, () => 'late'), 'late');
  await assert.rejects(within(never, 1, failLate(1)), { message: 'no answer within 1 ms' });
  await assert.rejects(within(never, 1, failLate(1, 'ETIMEOUT')), { code: 'ETIMEOUT' });
});

test('late work that fails is no unhandled rejection', async () => {
  const work = Promise.withResolvers<string>();
  assert.equal(await within(work.promise, 1, () => 'late'), 'late');
  work.reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
