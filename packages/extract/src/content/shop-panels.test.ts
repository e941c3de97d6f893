import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks } from './blocks/blocks.ts';
import { buildScopes } from './blocks/scopes.ts';
import { findShopPanels } from './shop-panels.ts';
import { parseLexicon } from './words/lexicon.ts';

function listPanels(html: string): string[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const marks = findShopPanels(tree, blocks, buildScopes(tree, blocks, parseLexicon('')));
  return Array.from({ length: blocks.count }, (_, block) =>
    marks?.[block] === 1 ? readBlockText(tree, blocks, block) : '',
  ).filter((text) => text !== '');
}

const PRODUCT = `<h1>Rope of hemp</h1><p>${'Twisted in three strands on the long walk of the quay. '.repeat(4)}</p>`;
const BOAT = 'Sent by boat twice a week.';

test('panels on delivery, returns and sizes are found, in accordions and below headings', () => {
  const item = (title: string, text: string): string =>
    `<div class="item"><button>${title}</button><div class="body"><p>${text}</p></div></div>`;
  const accordion = `<div>${item('Details', 'Ten metres.')}${item('Shipping & Returns', BOAT)}${item('Care', 'Keep it dry.')}</div>`;
  assert.deepEqual(listPanels(PRODUCT + accordion), ['Shipping & Returns', BOAT]);
  const terms = `<dl><dt>Versand</dt><dd>${BOAT}</dd><dt>Material</dt><dd>Hanf</dd></dl>`;
  assert.deepEqual(listPanels(`${PRODUCT}<div>${terms}</div>`).includes('Hanf'), false);
  const headings = `<section><h2>Material</h2><p>Hemp.</p><h2>Livraison et retours</h2><p>${BOAT}</p><h3>Par mer</h3><p>Lent.</p><h2>Usage</h2><p>Knots.</p></section>`;
  assert.deepEqual(listPanels(PRODUCT + headings), ['Livraison et retours', BOAT, 'Par mer', 'Lent.']);
});

test('the title of a tab takes neither the other tabs nor their panels with it', () => {
  const tabs = '<div><button><h2>Details</h2></button><button><h2>Reviews (3)</h2></button></div>';
  const html = `${PRODUCT}<div>${tabs}<div><p>Ten metres.</p></div><div><h2>Strength</h2><p>Holds a boat.</p></div></div>`;
  assert.deepEqual(listPanels(html), ['Reviews (3)']);
});

test('sentences that begin like titles, and a panel that is most of the page, are not marked', () => {
  assert.deepEqual(listPanels(`${PRODUCT}<h2>Shipping a boat by rail</h2><p>${BOAT}</p>`), []);
  assert.deepEqual(listPanels(`<main><h2>Shipping</h2>${PRODUCT.replace(/<h1>.*<.h1>/, '')}</main>`), []);
});
