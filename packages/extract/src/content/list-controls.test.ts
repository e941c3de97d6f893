import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks } from './blocks/blocks.ts';
import { buildScopes } from './blocks/scopes.ts';
import { findListControls } from './list-controls.ts';
import { parseLexicon } from './words/lexicon.ts';

function listControls(html: string): string[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const marks = findListControls(tree, blocks, buildScopes(tree, blocks, parseLexicon('')));
  return Array.from({ length: blocks.count }, (_, block) =>
    marks?.[block] === 1 ? readBlockText(tree, blocks, block) : '',
  ).filter((text) => text !== '');
}

const BOATS = ['Ida of the quay', 'Ester the second', 'Maren of the sound'];
const cards = (toCard: (name: string, address: string) => string): string =>
  BOATS.map((name, index) => `<div class="card">${toCard(name, `/boats/${index}`)}</div>`).join('');

test('links with one text that lead where the titles of the cards lead are controls', () => {
  const html = cards(
    (name, to) => `<h3><a href="${to}">${name}</a></h3><p>12 m</p><p><a href="${to}#more">Zur Fahrt</a></p>`,
  );
  assert.deepEqual(listControls(html), ['Zur Fahrt', 'Zur Fahrt', 'Zur Fahrt']);
});

test('a line of links to orders is a control', () => {
  const line = '<div>Sort by <a href="?1">Price, low to high</a> <a href="?2">Newest first</a></div>';
  assert.deepEqual(listControls(`<p>Ropes by the metre.</p>${line}`), ['Sort by Price, low to high Newest first']);
  assert.deepEqual(listControls('<p>Price of <a href="/1">hemp</a> and of <a href="/2">tar</a> in May</p>'), []);
});

test('buttons that each card repeats are controls', () => {
  const html = cards((name) => `<h3>${name}</h3><button>Mua ngay</button>`);
  assert.deepEqual(listControls(html), ['Mua ngay', 'Mua ngay', 'Mua ngay']);
});

test('links of items are no controls: of one place, to other pages, or with a number', () => {
  assert.deepEqual(listControls(cards((name, to) => `<a href="${to}">${name}</a><p><a href="/oak">Oak</a></p>`)), []);
  assert.deepEqual(
    listControls(cards((name, to) => `<a href="${to}">${name}</a><p><a href="${to}/log">Log</a></p>`)),
    [],
  );
  assert.deepEqual(listControls(cards((name, to) => `<a href="${to}">${name}</a><p><a href="${to}">9 kr</a></p>`)), []);
  assert.deepEqual(
    listControls(
      BOATS.slice(1)
        .map(() => '<button>Buy</button>')
        .join('<hr>'),
    ),
    [],
  );
});

test('orders among which a reader chooses are controls, with those that say no order', () => {
  const list = (...texts: string[]): string => `<ul>${texts.map((text) => `<li>${text}</li>`).join('')}</ul>`;
  assert.deepEqual(listControls(list('Featured', 'Alphabetically, A-Z', 'Price, low to high')), [
    'Featured',
    'Alphabetically, A-Z',
    'Price, low to high',
  ]);
  assert.deepEqual(listControls(list('Beliebtheit', 'Preis aufsteigend', 'Preis absteigend')).length, 3);
  assert.deepEqual(listControls(list('Price, low to high', 'Rope')), []);
  const prose = 'The boat of the men of the quay is twelve metres long.';
  assert.deepEqual(listControls(list('Price, low to high', prose, 'Price, high to low')), []);
});
