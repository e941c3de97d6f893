import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import type { PageType } from '../types/extraction.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks, STRIDE, TOKENS } from './blocks/blocks.ts';
import { buildScopes } from './blocks/scopes.ts';
import { leaveOutSurroundings } from './surroundings.ts';
import { parseLexicon } from './words/lexicon.ts';

const SHOP = `<main><h1>Oak stool</h1><p>A stool of solid oak, oiled by hand, that carries a hundred kilograms without a creak.</p>
<form><label>Colour</label></form><p>Free shipping within two days, and returns for a month.</p>
<div class="reviews"><p>Stands well and looks better than on the picture, though it took a month.</p></div></main>`;

test('reviews, delivery and forms of a product are left out, and their words do not count', () => {
  const { kept, inside } = leaveOut(SHOP, 'product');
  assert.deepEqual(kept, [
    'Oak stool',
    'A stool of solid oak, oiled by hand, that carries a hundred kilograms without a creak.',
  ]);
  assert.equal(inside, 18);
});

test('that a product is available counts, also with the days of its delivery', () => {
  const { kept } = leaveOut(`${SHOP}<p>Sofort lieferbar, Lieferung in zwei Tagen</p>`, 'product');
  assert.equal(kept.at(-1), 'Sofort lieferbar, Lieferung in zwei Tagen');
});

test('page types without rules for surroundings keep all texts', () => {
  assert.equal(leaveOut(SHOP, 'documentation').kept.length, 5);
});

test('an element around most of the page leaves nothing out', () => {
  const { kept } = leaveOut(`<form>${SHOP.replaceAll(/<\/?form>/g, '')}</form>`, 'service');
  assert.equal(kept.length, 5);
});

test('comments are left out only if the page is surely an article', () => {
  const html = `<article><p>The river rose by a metre in the night, and the bridge was closed until the evening.</p></article>
<div class="comments"><p>Same here.</p></div>`;
  assert.equal(leaveOut(html, 'article', 0.9).kept.length, 1);
  assert.equal(leaveOut(html, 'article', 0.5).kept.length, 2);
});

test('a text of a product that is certain stays, though it names delivery', () => {
  assert.ok(
    leaveOut(SHOP, 'product', 1, 0.95).kept.includes('Free shipping within two days, and returns for a month.'),
  );
});

test('reviews of collections, and menus and related lists of listings are left out', () => {
  const rows = '<div class="rows">'.concat(
    '<p>A rope of hemp, a hundred metres long, for any boat.</p>'.repeat(4),
    '</div>',
  );
  const around = (name: string): string => `${rows}<div class="${name}"><p>Holds in a storm</p></div>`;
  assert.equal(leaveOut(around('reviews'), 'collection').kept.length, 4);
  assert.equal(leaveOut(around('reviews'), 'listing').kept.length, 5);
  assert.equal(leaveOut(around('submenu'), 'listing').kept.length, 4);
  assert.equal(leaveOut(around('trending'), 'listing').kept.length, 4);
});

/** Texts with a probability above 0, and the number of words that still count. */
test('parts of footers, dialogs and menus of services are left out only where the model doubts them', () => {
  const office = '<p>Our office at the harbour repairs boats of all sizes, and lends others until they are ready.</p>';
  for (const name of ['footer', 'popup', 'cookie-settings', 'submenu']) {
    const html = `<main>${office}</main><div class="${name}"><p>Sails, ropes and anchors</p></div>`;
    assert.equal(leaveOut(html, 'service', 1, 0.4).kept.length, 1, name);
    assert.equal(leaveOut(html, 'service', 1, 0.6).kept.length, 2, name);
    assert.equal(leaveOut(html, 'article', 1, 0.4).kept.length, 2, name);
  }
  const header = `<header><p>Boats since 1901</p></header><main>${office}</main>`;
  assert.equal(leaveOut(header, 'product', 1, 0.4).kept.length, 1);
  assert.equal(leaveOut(header, 'service', 1, 0.4).kept.length, 2);
});

function leaveOut(
  html: string,
  pageType: PageType,
  sureness = 1,
  probability = 0.6,
): { kept: string[]; inside: number } {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const scopes = buildScopes(tree, blocks, parseLexicon(''));
  const probabilities = new Float32Array(blocks.count).fill(probability);
  const words = Float64Array.from(probabilities, (_, block) => blocks.rows[block * STRIDE + TOKENS]);
  const inside = leaveOutSurroundings(blocks, scopes, { pageType, sureness }, probabilities, words);
  const kept = [...probabilities.keys()].filter((block) => probabilities[block] > 0);
  return {
    kept: kept.map((block) => readBlockText(tree, blocks, block).trim()),
    inside: inside.reduce((sum, size) => sum + size, 0),
  };
}
