import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { readBlockText } from './block-text.ts';
import * as block from './blocks.ts';

function split(html: string): string[] {
  const tree = parseTree(html);
  const blocks = block.findBlocks(tree);
  return Array.from({ length: blocks.count }, (_, b) => readBlockText(tree, blocks, b));
}

function measure(html: string, field: number): number {
  const blocks = block.findBlocks(parseTree(html));
  assert.equal(blocks.count, 1, html);
  return blocks.rows[field];
}

test('block elements, double line breaks, rules and buttons end a block', () => {
  assert.deepEqual(split('<p>one <b>bold</b> word</p>tail<div>two</div>'), ['one bold word', 'tail', 'two']);
  assert.deepEqual(split('<div>a<br>b<br> <br>c<hr>d<button>e</button>f</div>'), ['a b', 'c', 'd', 'e', 'f']);
  assert.deepEqual(split('<div>before<p>inside</p>after</div>'), ['before', 'inside', 'after']);
});

test('scripts, styles and text without words form no block', () => {
  assert.deepEqual(split('<script>x()</script><style>p{}</style><p>|</p><p> </p><p>word</p>'), ['word']);
  assert.deepEqual(split(''), []);
});

test('words separated only by markup stay separate', () => {
  assert.deepEqual(split('<p><a href=1>Home</a><a href=2>News</a></p>'), ['Home News']);
  assert.equal(measure('<p><a href=1>home</a><a href=2>news</a></p>', block.TOKENS), 2);
  assert.equal(measure('<p><b>W</b>ord and <i>item</i><i>Next</i></p>', block.TOKENS), 4);
});

test('word and letter counts cover the whole block', () => {
  const html = '<title>Green tea</title><p>Green tea costs $5, <a href=x>order now</a>. <b>Fresh</b>!</p>';
  assert.equal(measure(html, block.WORDS), 7);
  assert.equal(measure(html, block.LINK_WORDS), 2);
  assert.equal(measure(html, block.BOLD_WORDS), 1);
  assert.equal(measure(html, block.TITLE_WORDS), 2);
  assert.equal(measure(html, block.PRICES), 1);
  assert.equal(measure(html, block.STOPS), 2);
  assert.equal(measure(html, block.COMMAS), 1);
  assert.equal(measure(html, block.CAPITALIZED), 2);
});

test('two letters count as a word in scripts without spaces', () => {
  assert.equal(measure('<p>東京は日本の首都です。</p>', block.WORDS), 5);
  assert.equal(measure('<p>東京は日本の首都です。</p>', block.TOKENS), 1);
});

test("a block's element is the lowest one that contains the whole block", () => {
  const tree = parseTree('<div><span><i>one</i> <b>two</b></span></div>');
  const { rows } = block.findBlocks(tree);
  assert.equal(tree.value[rows[block.ELEMENT]], 'span');
});

test('each block records why it is hidden', () => {
  assert.notEqual(measure('<div style="color:red; display: none"><p>x</p></div>', block.HIDDEN), 0);
  assert.notEqual(measure('<dialog><p>x</p></dialog>', block.HIDDEN), 0);
  assert.equal(measure('<dialog open><p>x</p></dialog>', block.HIDDEN), 0);
});

test('an <a> without an address is no link', () => {
  const { rows } = block.findBlocks(
    parseTree('<p><a>ebb</a> <a name=x>flood</a> <a href=y>tide</a> <a class=button>more</a></p>'),
  );
  assert.deepEqual([rows[block.LINKS], rows[block.LINK_WORDS]], [2, 2]);
});
