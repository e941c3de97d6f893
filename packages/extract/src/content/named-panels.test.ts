import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import type { PageType } from '../types/extraction.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks } from './blocks/blocks.ts';
import { findNamedPanels } from './named-panels.ts';

const STOOL = '<h1>Oak stool</h1><p>A stool of solid oak, oiled by hand, that carries a hundred kilograms.</p>';
const CARDS = ['Ida of the quay', 'Ester the second', 'Maren of the sound']
  .map(
    (name) =>
      `<div class="card"><img src="b.jpg"><a href="/b">${name}, a boat</a><p class="delivery">In a week</p></div>`,
  )
  .join('');

function listPanels(html: string, pageType: PageType): string[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const marks = findNamedPanels(tree, blocks, pageType);
  return Array.from({ length: blocks.count }, (_, block) =>
    marks?.[block] === 1 ? readBlockText(tree, blocks, block) : '',
  ).filter((text) => text !== '');
}

test('tips, delivery, size charts and reviews of a shop are panels beside its product', () => {
  const panels = [
    'product__tooltip',
    'deliveryInfo',
    'SizeChart',
    'c-reviews',
    'js-Versand',
    'return-policy',
    'relatedItems',
    'ph-recommendations',
  ];
  for (const name of panels)
    assert.deepEqual(listPanels(`${STOOL}<div class="${name}"><p>Two weeks</p></div>`, 'product'), ['Two weeks'], name);
  assert.deepEqual(listPanels(`${STOOL}<p role="tooltip">Wood of trees</p>`, 'product'), ['Wood of trees']);
});

test('names that only look alike are none, and neither is an element around the product', () => {
  for (const name of ['preview', 'shipping-taxable', 'returned', 'size', 'tooltip-trigger'])
    assert.deepEqual(listPanels(`${STOOL}<div class="${name}"><p>Two weeks</p></div>`, 'product'), [], name);
  assert.deepEqual(
    listPanels(`<div class="reviews">${STOOL}</div><p>${'Other boats. '.repeat(20)}</p>`, 'product'),
    [],
  );
  assert.deepEqual(
    listPanels(`<p>Stool</p><div id="delivery"><p>${'Carried upstairs. '.repeat(20)}</p></div>`, 'product'),
    [],
  );
});

test('filters and page numbers of a list are controls, lists of goods with such a name are not', () => {
  const filters = '<div class="facet-filters"><p>Wood</p><ul><li>Oak (12)</li><li>Ash (3)</li></ul></div>';
  const pages = '<ul class="pagination"><li>1</li><li><a href="?2">2</a></li><li><a href="?2">Next</a></li></ul>';
  for (const type of ['collection', 'listing'] as const)
    assert.deepEqual(listPanels(`${filters}${CARDS}${pages}`, type), ['Wood', 'Oak (12)', 'Ash (3)', '1', '2', 'Next']);
  const titles = '<div class="filter"><a href="/ida">Ida of the quay, a boat of oak and larch for six</a></div>';
  assert.deepEqual(
    listPanels(`<div class="filters">${CARDS}</div>${titles}<p>${'Boats. '.repeat(20)}</p>`, 'listing'),
    [],
  );
});

test('facts in the cards of a collection stay, long panels on delivery and reviews do not', () => {
  const long =
    '<div class="shipping"><p>We send all boats on a lorry of our own, on each first day of a month.</p></div>';
  assert.equal(listPanels(`${CARDS}${long}${'<p>Boats for six.</p>'.repeat(9)}`, 'collection').length, 1);
  const review = `<div class="reviews"><p>${'Sails well and is dry. '.repeat(15)}</p></div>`;
  assert.equal(listPanels(`${CARDS}${review}${'<p>A boat for six, or four.</p>'.repeat(20)}`, 'collection').length, 1);
  assert.deepEqual(listPanels(`${CARDS}<p class="review">Dry</p>`, 'collection'), []);
});

test('boxes about the author of an article are panels, bylines and texts about authors are not', () => {
  const text = `<h1>The rope walk</h1><p>${'It was four hundred metres long. '.repeat(9)}</p>`;
  const bio = '<h4>Ada Lund</h4><p>Ada Lund writes about rivers and lives in a lock house.</p>';
  for (const name of ['author-box', 'c-authorBio', 'about-the-author', 'bioBox'])
    assert.equal(listPanels(`${text}<div class="${name}">${bio}</div>`, 'article').length, 2, name);
  for (const name of ['author', 'author-boxer', 'authority'])
    assert.deepEqual(listPanels(`${text}<div class="${name}">${bio}</div>`, 'article'), [], name);
  assert.deepEqual(listPanels(`${text}<p class="author-card">Ada Lund</p>`, 'article'), []);
});

test('articles, documentation and posts keep parts of these names', () => {
  const html =
    '<h1>Reviews of boats</h1><p>Of three boats.</p><div class="review filter delivery"><p>Ida is dry</p></div>';
  for (const type of ['article', 'documentation', 'forum', 'service'] as const)
    assert.deepEqual(listPanels(html, type), []);
});
