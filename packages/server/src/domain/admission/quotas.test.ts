import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryQuotaCounter } from './quotas.ts';

test('a key has its full limit in each window, which starts with its first request', async () => {
  let now = 5000;
  const counter = new MemoryQuotaCounter(() => now);
  assert.deepEqual(await counter.take('a', 2), { allowed: true, remaining: 1, resetMs: 60_000 });
  now += 20_000;
  assert.deepEqual(await counter.take('a', 2), { allowed: true, remaining: 0, resetMs: 40_000 });
  assert.deepEqual(await counter.take('a', 2), { allowed: false, remaining: 0, resetMs: 40_000 });
  assert.deepEqual(await counter.take('b', 1), { allowed: true, remaining: 0, resetMs: 60_000 });
  now += 39_999;
  assert.equal((await counter.take('a', 2)).allowed, false);
  now += 1;
  assert.deepEqual(await counter.take('a', 2), { allowed: true, remaining: 1, resetMs: 60_000 });
  assert.equal((await counter.take('b', 1)).allowed, false);
});

test('the time left of a new window never exceeds its length', async () => {
  // (8953.896 + 60_000) - 8953.896 > 60_000
  const { resetMs } = await new MemoryQuotaCounter(() => 8953.896).take('a', 2);
  assert.equal(resetMs, 60_000);
});

test('a changed limit starts a new count', async () => {
  const counter = new MemoryQuotaCounter(() => 0);
  await counter.take('a', 1);
  assert.equal((await counter.take('a', 1)).allowed, false);
  assert.deepEqual(await counter.take('a', 3), { allowed: true, remaining: 2, resetMs: 60_000 });
});
