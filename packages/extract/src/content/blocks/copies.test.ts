import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { findBlocks } from './blocks.ts';
import { dropCopies } from './copies.ts';
import { parseLexicon } from '../words/lexicon.ts';
import { buildScopes } from './scopes.ts';

const TEXT = 'This lamp bends wherever the light is wanted.';

function drop(html: string, probabilities: readonly number[]): number[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const result = Float32Array.from(probabilities);
  assert.equal(blocks.count, result.length);
  dropCopies(tree, blocks, buildScopes(tree, blocks, parseLexicon('')), result, 0.25);
  return [...result];
}

test('of separate copies, the most probable one is kept', () => {
  const html = `<div><p>${TEXT}</p><p>One</p></div><div><p>${TEXT}</p><p>Two</p></div><div><p>${TEXT}</p><p>Three</p></div>`;
  assert.deepEqual(drop(html, [0.5, 1, 0.75, 1, 0.75, 1]), [0, 1, 0.75, 1, 0, 1]);
});

test('a refrain, short text and code are kept', () => {
  assert.deepEqual(
    drop(`<div><p>${TEXT}</p><p>Between</p><p>${TEXT}</p></div><p>End</p>`, [1, 1, 0.5, 1]),
    [1, 1, 0.5, 1],
  );
  assert.deepEqual(
    drop('<div><p>Add to cart</p><p>a</p></div><div><p>Add to cart</p><p>b</p></div>', [1, 1, 0.5, 1]),
    [1, 1, 0.5, 1],
  );
  const code = `<pre>${TEXT}</pre>`;
  assert.deepEqual(drop(`<div>${code}<p>a</p></div><div>${code}<p>b</p></div>`, [1, 1, 0.5, 1]), [1, 1, 0.5, 1]);
});

test('an improbable copy never causes another copy to be dropped', () => {
  const html = `<div><p>${TEXT}</p><p>One</p></div><div><p>${TEXT}</p><p>Two</p></div>`;
  assert.deepEqual(drop(html, [0.125, 1, 0.5, 1]), [0.125, 1, 0.5, 1]);
});

/** Pages with repeated facts that are kept; each has the text twice and no other long block. */
const FACTS: Readonly<Record<string, string>> = {
  'table cells': `<table><tr><th>Free</th><td>${TEXT}</td><td>Daily</td></tr><tr><th>Paid</th><td><p>${TEXT}</p></td><td>Weekly</td></tr></table>`,
  'definitions of one term': `<dl><dt>lamp</dt><dd>${TEXT}</dd></dl><h2>More</h2><dl><dt>lamp</dt><dd><p>${TEXT}</p></dd></dl>`,
  'items of two lists': `<ul><li>Red</li><li>${TEXT}</li></ul><h2>More</h2><ul><li>Blue</li><li>${TEXT}</li></ul>`,
  cards: `<div class=shop><h3>North</h3><p>${TEXT}</p></div><div class=shop><h3>South</h3><p>${TEXT}</p></div>`,
  'cards with several parts': `<section><h3>North</h3><div><i>1</i><p>${TEXT}</p></div></section><section><h3>South</h3><p>${TEXT}</p></section>`,
};

for (const [name, html] of Object.entries(FACTS)) {
  test(`repeated values of separate facts are kept: ${name}`, () => {
    const ones = Array.from({ length: findBlocks(parseTree(html)).count }, () => 1);
    assert.deepEqual(drop(html, ones), ones);
  });
}

test('a repeated list or card counts as a copy', () => {
  const list = `<ul><li>Red</li><li>${TEXT}</li></ul>`;
  assert.deepEqual(drop(`<div>${list}</div><section>${list}</section>`, [1, 1, 1, 0.5]), [1, 1, 1, 0]);
  const card = `<div class=shop><h3>North</h3><p>${TEXT}</p></div>`;
  assert.deepEqual(drop(card + card, [1, 0.5, 1, 1]), [1, 0, 1, 1]);
});
