import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWords } from './side-by-side.ts';

test('a changed line is compared by words', () => {
  const words = compareWords('The gate opens on Monday.', 'The new gate opens on Friday.');
  assert.ok(words);
  const marked = (side: 'left' | 'right') => words[side].filter((part) => part.changed).map(({ text }) => text.trim());
  assert.deepEqual(marked('left'), ['Monday']);
  assert.deepEqual(marked('right'), ['new', 'Friday']);
  const join = (side: 'left' | 'right') => words[side].map(({ text }) => text).join('');
  assert.equal(join('left'), 'The gate opens on Monday.');
  assert.equal(join('right'), 'The new gate opens on Friday.');
});

test('a line that was replaced, and a very long one, are compared as a whole', () => {
  assert.equal(compareWords('Bread and butter.', 'Something else entirely, nothing alike'), undefined);
  assert.equal(compareWords('a '.repeat(4000), 'a '.repeat(4001)), undefined);
});
