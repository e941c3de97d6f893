import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAscii } from './read-ascii.ts';

describe('reading ASCII', () => {
  it('returns the characters of a long ASCII text', () => {
    const text = 'The harbour town keeps its old market.\n'.repeat(3);
    assert.equal(String.fromCharCode(...readAscii(text)!.subarray(0, text.length)), text);
  });

  it('refuses a text with a non-ASCII character at any position', () => {
    for (const other of ['é', '–', '\ud83d\ude00', '\ud83d'])
      for (const at of [0, 50, 100])
        assert.equal(readAscii('a'.repeat(at) + other + 'a'.repeat(100 - at)), undefined, `${other} at ${at}`);
  });

  it('refuses a text whose bytes fill the buffer before its end', () => {
    assert.ok(readAscii('é' + 'a'.repeat(65_535)) === undefined);
  });
});
