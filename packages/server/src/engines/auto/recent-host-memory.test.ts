import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostMemory } from './memory-in-process.ts';
import { createRecentHostMemory } from './recent-host-memory.ts';

test('the memory behind is asked once for many pages, and told everything', async () => {
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
