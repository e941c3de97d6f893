import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse-tree.ts';
import { findBlocks } from './blocks.ts';
import { dropCopies } from './copies.ts';
import { parseLexicon } from './lexicon.ts';
import { buildScopes } from './scopes.ts';

const TEXT = 'This lamp bends wherever the light is wanted.';

function drop(html: string, probabilities: readonly number[]): number[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const result = Float32Array.from(probabilities);
  assert.equal(blocks.count, result.length);
  dropCopies(blocks, buildScopes(tree, blocks, parseLexicon('')), result, 0.25);
  return [...result];
}

test('of copies apart the most probable one stays', () => {
  const html = `<div><p>${TEXT}</p><p>One</p></div><div><p>${TEXT}</p><p>Two</p></div><div><p>${TEXT}</p><p>Three</p></div>`;
  assert.deepEqual(drop(html, [0.5, 1, 0.75, 1, 0.75, 1]), [0, 1, 0.75, 1, 0, 1]);
});

test('a refrain, short text and code stay', () => {
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

test('a copy that has no chance anyway is no reason to drop another', () => {
  const html = `<div><p>${TEXT}</p><p>One</p></div><div><p>${TEXT}</p><p>Two</p></div>`;
  assert.deepEqual(drop(html, [0.125, 1, 0.5, 1]), [0.125, 1, 0.5, 1]);
});
