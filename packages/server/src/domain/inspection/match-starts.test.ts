import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRAM_LENGTH, matchStarts } from './match-starts.ts';

/** Returns text with few repetitions. */
function makeText(length: number, seed: number): string {
  let [text, state] = ['', seed];
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, length);
}

/** Reference implementation. */
function longest(text: string, start: number, other: string): number {
  let length = 0;
  while (start + length < text.length && other.includes(text.slice(start, start + length + 1))) length += 1;
  return length >= GRAM_LENGTH ? length : 0;
}

test('the longest match from each start is found in any order', () => {
  const [a, b, c, lost] = [1, 2, 3, 4].map((seed) => makeText(100, seed));
  assert(a !== undefined && b !== undefined && c !== undefined && lost !== undefined);
  // A short part of `b` precedes the lost part, and `c` occurs twice.
  const text = [a, b.slice(0, 9), lost, b, a.slice(0, 60), c, c].join('');
  const other = [a, b, 'between', c.slice(0, 50), c, a].join('');
  const starts = [0, 30, 100, 109, 209, 309, 369, 469, 559, 560];
  const found = matchStarts(text, starts, other);
  assert.deepEqual(
    starts.map((start) => found.get(start) ?? 0),
    starts.map((start) => longest(text, start, other)),
  );
});

test('texts of one letter and short texts work', () => {
  const [one, many] = ['a'.repeat(50), 'a'.repeat(100_000)];
  assert.deepEqual([...matchStarts(one, [0, 20], many)], [[0, 50]]);
  const starts = Array.from({ length: 10_000 }, (_, index) => index * 10);
  assert.equal(matchStarts(many, starts, many).get(0), 100_000);
  assert.equal(matchStarts('short', [0], 'short').size, 0);
  assert.equal(matchStarts('', [], '').size, 0);
});
