import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecentMap } from './recent-map.ts';

test('entries expire', async () => {
  const map = new RecentMap<string, number>(10, 20);
  map.set('a', 1);
  assert.equal(map.get('a'), 1);
  await sleep(40);
  assert.equal(map.get('a'), undefined);
});

test('the oldest entries are evicted, and setting an entry renews it', () => {
  const map = new RecentMap<string, number>(2, 60_000);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [3, undefined, 4]);
  map.clear();
  assert.equal(map.get('a'), undefined);
});
