import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HashTable } from './hash-table.ts';

test('a hash table has the entries of its map and no others', () => {
  const key = fc.oneof(fc.integer(), fc.integer({ min: -20, max: 20 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.integer())), fc.array(key), (entries, others) => {
      const map = new Map(entries);
      const table = new HashTable(map);
      for (const wanted of [...map.keys(), ...others]) assert.equal(table.get(wanted), map.get(wanted));
    }),
  );
});
