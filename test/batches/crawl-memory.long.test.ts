import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureFrontier } from './crawl-memory.ts';

test('the memory of a service does not grow with the addresses that a crawl has found', async () => {
  const [, few, many] = await measureFrontier([10_000, 20_000, 200_000]);
  assert.ok(few && many);
  assert.ok(many.total > 99_990 && few.total > 19_990, `${few.total}, ${many.total} pages`);
  assert.ok(many.heap - few.heap < 10, `${few.heap} MiB with 20,000 addresses, ${many.heap} MiB with 200,000`);
});
