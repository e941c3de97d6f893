import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listNameTokens, NameTokens } from './name-words.ts';
import { hashWord } from './word-families.ts';

/** Attribute value, its tokens. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  [' \t', []],
  ['post', ['post']],
  ['post-bodyText_2', ['post', 'body', 'text', 'post-body-text']],
  ['wide  post-body', ['wide', 'post', 'body', 'post-body']],
  ['HTMLParser', ['html', 'parser', 'html-parser']],
  ['mainURL', ['main', 'url', 'main-url']],
  ['aB', ['a', 'b', 'a-b']],
  ['css-1x2y', ['css', 'x', 'y', 'css-x-y']],
  ['a-b-c-d-e-f', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['größe', ['gr', 'e', 'gr-e']],
  [`${'x'.repeat(90)} y`, ['x'.repeat(80), 'y']],
];

describe('class names are split into words', () => {
  for (const [value, tokens] of CASES) {
    test(JSON.stringify(value).slice(0, 30), () => {
      assert.deepEqual(
        listNameTokens(value, '#'),
        tokens.map((token) => `#${token}`),
      );
      const hashes = new NameTokens();
      hashes.read(value, '#');
      assert.deepEqual(
        [...hashes.tokens.subarray(0, hashes.count)],
        tokens.map((token) => hashWord(`#${token}`)),
      );
    });
  }
});
