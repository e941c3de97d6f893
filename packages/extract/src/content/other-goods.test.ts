import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks } from './blocks/blocks.ts';
import { buildScopes } from './blocks/scopes.ts';
import { findOtherGoods } from './other-goods.ts';
import { parseLexicon } from './words/lexicon.ts';

const NAMES = ['Fid', 'Maul', 'Twine', 'Wax'];
const writeCards = (names: readonly string[], text = ''): string =>
  `<div>${names.map((name) => `<div class="tile"><p><a href="/${name}">${name}</a></p><p>€4.00 ${text}</p></div>`).join('')}</div>`;
const HAWSER = '<main><h1>Hawser</h1><p>€86.50</p><p>Hemp, tarred by hand.</p>';

function listGoods(html: string): string[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const marks = findOtherGoods(blocks, buildScopes(tree, blocks, parseLexicon(''))) ?? new Uint8Array(blocks.count);
  return Array.from(marks, (mark, block) => (mark === 1 ? readBlockText(tree, blocks, block) : '')).filter(Boolean);
}

test('cards with links and prices below a product are other goods', () => {
  const found = listGoods(`${HAWSER}${writeCards(NAMES)}<p>Laid in three strands.</p></main>`);
  assert.deepEqual(
    found,
    NAMES.flatMap((name) => [name, '€4.00']),
  );
});

test('goods before the price of a product, few of them, sizes and long sections are none', () => {
  for (const html of [
    `<main><h1>Ropes</h1>${writeCards(NAMES)}</main>`,
    `${HAWSER}${writeCards(NAMES.slice(1))}</main>`,
    `${HAWSER}<ul>${NAMES.map((size) => `<li><a href="?${size}">${size} €4.00</a></li>`).join('')}</ul></main>`,
    `${HAWSER}${writeCards(NAMES, 'A tool of the rope maker, of beech. '.repeat(6))}</main>`,
    writeCards(NAMES),
  ])
    assert.deepEqual(listGoods(html), []);
});
