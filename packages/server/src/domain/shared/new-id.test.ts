import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTime, isValid } from 'ulid';
import { newId } from './new-id.ts';

test('ids are distinct ULIDs with a prefix and their time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, () => newId('dom'));
  const texts = ids.map((id) => id.slice('dom_'.length));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(texts.every(isValid));
  assert.ok(texts.map(decodeTime).every((time) => time >= before && time <= Date.now()));
});

test('every character of the random part is uniformly distributed', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 4000; index += 1)
    for (const character of newId('x').slice(-16)) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 32);
  // Expected: 2,000 each, with a standard deviation of 44.
  for (const count of counts.values()) assert.ok(Math.abs(count - 2000) < 300, `${count} of 2,000`);
});
