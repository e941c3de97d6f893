import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostMemory, createRecentHostMemory } from './host-memory.ts';

test('repeated reads reach the underlying memory once, and writes are passed on', async () => {
  const underlying = createHostMemory();
  const reads: string[] = [];
  const memory = createRecentHostMemory({
    ...underlying,
    recall: (host) => {
      reads.push(host);
      return underlying.recall(host);
    },
  });
  assert.equal(await memory.recall('one.example'), undefined);
  assert.equal(await memory.recall('one.example'), undefined);
  await memory.remember('one.example', 'stable');
  assert.equal(await memory.recall('one.example'), 'stable');
  assert.equal(await underlying.recall('one.example'), 'stable');
  assert.deepEqual(reads, ['one.example']);
});

test('one of several concurrent pages claims the retry with plain HTTP', async () => {
  const claims: string[] = [];
  const memory = createRecentHostMemory({
    ...createHostMemory(),
    claimProbation: async (host) => claims.push(host) > 0,
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => memory.claimProbation('one.example'))), [true, false, false]);
  assert.deepEqual(claims, ['one.example']);
});
