import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostMemory } from './memory-in-process.ts';
import { createRecentHostMemory } from './recent-host-memory.ts';

test('many pages lead to one read of the underlying memory, and every write is passed on', async () => {
  const behind = createHostMemory();
  const asked: string[] = [];
  const memory = createRecentHostMemory({
    ...behind,
    recall: (host) => {
      asked.push(host);
      return behind.recall(host);
    },
  });
  assert.equal(await memory.recall('one.example'), undefined);
  assert.equal(await memory.recall('one.example'), undefined);
  await memory.remember('one.example', 'stable');
  assert.equal(await memory.recall('one.example'), 'stable');
  assert.equal(await behind.recall('one.example'), 'stable');
  assert.deepEqual(asked, ['one.example']);
});

test('a retry with plain HTTP is claimed once by concurrent pages', async () => {
  const claims: string[] = [];
  const memory = createRecentHostMemory({
    ...createHostMemory(),
    claimProbation: async (host) => claims.push(host) > 0,
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => memory.claimProbation('one.example'))), [true, false, false]);
  assert.deepEqual(claims, ['one.example']);
});
