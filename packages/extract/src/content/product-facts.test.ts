import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks } from './blocks/blocks.ts';
import { findProductFacts } from './product-facts.ts';

/** The first texts of price, availability and number. */
function readFacts(html: string): string[][] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  return findProductFacts(tree, blocks, () => true).map(({ first }) =>
    first.map((block) => readBlockText(tree, blocks, block)),
  );
}

const OTHERS = '<ul><li><a href="/r">Rope</a> <a href="/r">$4.00</a></li></ul><p>Our best</p><p>$2.00</p>';

test('price, availability and number of a product are those near its title', () => {
  const page = `<p>$9.00 and free tar</p><p>SKU: TAR-8</p><h1>Tar</h1><p>by Lund</p><p>$12.50</p><p>$15.00</p>
    <p>Only 3 in stock</p><p>Delivery from $4.00</p>${OTHERS}<p>Sold out</p>`;
  assert.deepEqual(readFacts(page), [['$12.50', '$15.00'], ['Only 3 in stock'], ['SKU: TAR-8']]);
});

test('prices of delivery and of other products, which links hold, are none of the product', () => {
  const page = `<h1>Tar</h1><p>Free shipping over $50</p><p><a href="/r">$4.00</a></p><p>19,90 €</p>`;
  assert.deepEqual(readFacts(page)[0], ['19,90 €']);
});

test('availability and numbers are recognised in other languages, sentences that begin like them are not', () => {
  const read = (text: string): string[][] => readFacts(`<h1>Teer</h1><p>${text}</p>`).slice(1);
  for (const text of ['Sofort lieferbar', 'En stock', 'Disponible', 'В наличии', '在庫あり', 'Auf Lager (3)'])
    assert.deepEqual(read(text), [[text], []]);
  for (const text of ['Artikelnummer 425179', 'Art.-Nr. 77', 'Артикул: 96133', 'Item # TA224626', 'Model: BPZ046/15'])
    assert.deepEqual(read(text), [[], [text]]);
  for (const text of ['Available services', 'Model of a boat in oak', 'Item and tar'])
    assert.deepEqual(read(text), [[], []]);
});

test('a page without a title has no facts', () => {
  assert.deepEqual(readFacts('<p>$12.50</p><p>In stock</p>'), []);
});
