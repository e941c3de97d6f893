import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrder, writeOrder } from './order.ts';

test('the form of an address has no parts of another type', () => {
  const read = (order: object) => readOrder(new URLSearchParams({ order: JSON.stringify(order) }));
  const usual = readOrder(new URLSearchParams());
  const content = { formats: 5, fields: [null], include_tags: 'a', favor: null, markdown: { links: 'drop' } };
  assert.deepEqual(read({ content }).content, { markdown: { links: 'drop' } });
  const options = { cookies: [null], block: ['images', 1], device: ['mobile'], timezone: 'Asia/Tokyo' };
  assert.deepEqual(read({ options }).options, { timezone: 'Asia/Tokyo' });
  assert.deepEqual(read({ source: 'x', url: 1, trace: [], other: 1 }), usual);
  const order = { ...usual, content: { formats: ['html' as const], fields: [{ name: 'a', selector: 'b' }] } };
  assert.deepEqual(readOrder(writeOrder(order)), order);
});
