import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSelector } from './read-selector.ts';

const SELECTORS: readonly (readonly [text: string, selector: object])[] = [
  ['.price', { css: '.price' }],
  ['main > p:first-child', { css: 'main > p:first-child' }],
  ['*:empty', { css: '*:empty' }],
  ['LI:checked', { css: 'LI:checked' }],
  ['//h1', { xpath: '//h1' }],
  ['./p', { xpath: './p' }],
  ['(//p)[2]', { xpath: '(//p)[2]' }],
  ['Product:offers.price', { json_ld: 'Product:offers.price' }],
  ['*:name', { json_ld: '*:name' }],
  ['css=Product:name', { css: 'Product:name' }],
  ['xpath=string(//h1)', { xpath: 'string(//h1)' }],
  ['json_ld=product:name', { json_ld: 'product:name' }],
];
for (const [text, selector] of SELECTORS) {
  test(`the kind of selector ${text} is recognised`, () => {
    assert.deepEqual(readSelector(text), selector);
  });
}
