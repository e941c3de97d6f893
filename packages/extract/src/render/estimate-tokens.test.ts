import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../pipeline/extract.ts';
import { estimateTokens } from './estimate-tokens.ts';

test('tokens are estimated by script', () => {
  assert.equal(estimateTokens(''), 0);
  assert.equal(estimateTokens('a'), 1);
  assert.equal(estimateTokens('The market is open.'), 5);
  assert.equal(estimateTokens('Рынок'), 3);
  assert.equal(estimateTokens('市場が開く'), 5);
  assert.equal(estimateTokens('🐟'), 2);
});

test('an extraction estimates the tokens of its Markdown if requested, else of its main text', () => {
  const html = `<article><h2>Fish</h2><p><a href="https://example.com/a/long/address/of/the/market">${'Cod and eel are sold. '.repeat(20)}</a></p></article>`;
  const plain = extract(html);
  assert.equal(plain.tokenEstimate, estimateTokens(plain.mainText));
  const { markdown = '', tokenEstimate } = extract(html, { formats: ['markdown'] });
  assert.equal(tokenEstimate, estimateTokens(markdown));
  assert.ok(tokenEstimate > plain.tokenEstimate);
});
