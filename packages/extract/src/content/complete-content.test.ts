import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageType } from '../types/extraction.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { findBlocks } from './blocks/blocks.ts';
import { readBlockText } from './blocks/block-text.ts';
import { buildScopes } from './blocks/scopes.ts';
import { completeContent } from './complete-content.ts';
import { LEXICON } from './model/shipped-model.ts';

/** The added texts of a page whose blocks with `+` are chosen; the others have the probability. */
function complete(html: string, probability: number, pageType: PageType = 'article', ofChosen = probability): string[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const texts = Array.from({ length: blocks.count }, (_, block) => readBlockText(tree, blocks, block));
  const choice = {
    chosen: texts.flatMap((text, block) => (text.startsWith('+') ? [block] : [])),
    probabilities: Float32Array.from(texts, (text) => (text.startsWith('+') ? ofChosen : probability)),
    words: Float64Array.from(texts, (text) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean).length),
    pageType,
    url: 'https://quay.example/tar',
  };
  const kept = completeContent(tree, blocks, buildScopes(tree, blocks, LEXICON), choice, () => true);
  return kept.map((block) => texts[block]).filter((text) => !text.startsWith('+'));
}

const ONE = '<p>+ The first paragraph of the text has some words.</p>';
const TWO = '<p>+ The second paragraph of the text has more of them than the first.</p>';

/** Case, page, probability, added texts. */
const ADDED: readonly (readonly [string, string, number, readonly string[]])[] = [
  ['a table between paragraphs', `<div>${ONE}<table><tr><td>8 kg</table>${TWO}</div>`, 0, ['8 kg']],
  ['a heading between paragraphs', `<div>${ONE}<h3>Later</h3>${TWO}</div>`, 0, ['Later']],
  ['an embedded post', `<div>${ONE}<blockquote class="bluesky-embed"><p>It holds.</p>– Ida</blockquote>${TWO}</div>`, 0.2, ['It holds.', '– Ida']],
  ['who said a kept quote', `<div>${ONE}<blockquote><p>+ It holds.</p><footer>Ida, <cite>Letters</cite></footer></blockquote></div>`, 0, ['Ida, Letters']],
  ['more than who said a quote', `<div>${ONE}<blockquote><p>+ It holds.</p><footer>${'left out '.repeat(9)}</footer></blockquote></div>`, 0, []],
  ['the end of a quote that is left out in part', `<div>${ONE}<blockquote><p>+ It holds.</p><p>So.</p><footer>Ida</footer></blockquote></div>`, 0, []],
  ['console output', `<div>${ONE}<div class="output"><pre>3 passed</pre></div>${TWO}</div>`, 0.2, ['3 passed']],
  ['an unlikely quote', `<div>${ONE}<blockquote>Buy now</blockquote>${TWO}</div>`, 0.05, []],
  ['a quote after the text', `<div>${ONE}${TWO}<blockquote>Our readers say</blockquote></div>`, 0.2, []],
  ['a list after a colon', '<div><p>+ Bring:</p><ul><li>rope</li><li>tar</li></ul></div>', 0.2, ['rope', 'tar']],
  ['links after a heading', `<div>${ONE}<h2>+ Quellen</h2><ol><li><a href="/a">Erster Brief</a></li></ol></div>`, 0.35, ['Erster Brief']],
  ['unlikely links after a heading', `<div>${ONE}<h2>+ More</h2><ul><li><a href="/a">Other news</a></li></ul></div>`, 0.2, []],
  ['links to other sites after a heading', `<div>${ONE}<h2>+ Sources</h2><ul><li><a href="https://a.example/1">A map</a></li><li><a href="//b.example/2">Letters</a></li></ul></div>`.replace('//b', 'http://b'), 0.2, ['A map', 'Letters']],
  ['links to the same site among them', `<div>${ONE}<h2>+ Sources</h2><ul><li><a href="https://a.example/1">A map</a></li><li><a href="https://quay.example/2">Letters</a></li></ul></div>`, 0.2, []],
  ['facts above the text', `<div><dl><dt>Ort</dt><dd>Nordhafen</dd></dl></div><div>${ONE}</div>`, 0.3, ['Ort', 'Nordhafen']],
  ['unlikely facts above the text', `<div><dl><dt>Posts</dt><dd>12</dd></dl></div><div>${ONE}</div>`, 0.2, []],
  ['facts above other text', `<div><dl><dt>Posts</dt><dd>12</dd></dl></div><p>Other</p><div>${ONE}</div>`, 0.3, []],
  ['links after a paragraph', `<div>${ONE}<ul><li><a href="/a">Other news</a></li></ul>${TWO}</div>`, 0.4, []],
  ['a list between paragraphs', `<div>${ONE}<ul><li>rope</li><li>tar</li></ul>${TWO}</div>`, 0.35, ['rope', 'tar']],
  ['a list at the end', `<div>${ONE}<ul><li>rope</li><li>tar</li></ul></div>`, 0.35, []],
  ['a likely list at the end', `<div>${ONE}<ul><li>rope</li><li>tar</li></ul></div>`, 0.5, ['rope', 'tar']],
  ['a question above its answer', `<div>${ONE}<details><summary>¿Cuánto dura?</summary>${TWO}</details></div>`, 0.3, ['¿Cuánto dura?']],
  ['a tab above its panel', `<div>${ONE}<section><div class="accordion__title">Versand</div><div>${TWO}</div></section></div>`, 0.3, ['Versand']],
  ['the first term of a list', `<div>${ONE}<dl><dt>close()</dt><dd>${TWO}</dd></dl></div>`, 0.22, ['close()']],
  ['the definition of a kept term', `<div>${ONE}</div><dl><dt>+ Height</dt><dd>31 cm</dd><dt>Weight</dt><dd>4 kg</dd></dl>`, 0.1, ['31 cm']],
  ['the term of a kept definition', `<div>${ONE}</div><dl><dt>Height</dt><dd>+ 31 cm</dd></dl>`, 0.1, ['Height']],
  ['a linked definition', `<div>${ONE}</div><dl><dt>+ Height</dt><dd><a href="/a">See the guide</a></dd></dl>`, 0.1, []],
  ['a label without a name', `<div>${ONE}<section><div>Ad</div><div>${TWO}</div></section></div>`, 0.3, []],
  ['a question beside other texts', `<div>${ONE}<section><h3>Why?</h3>${TWO}<div>${'left out '.repeat(9)}</div></section></div>`, 0.3, []],
  ['values beside kept labels', '<table><tr><td>+ Weight</td><td>8 kg</td></tr><tr><td>Length</td><td>20 m</td></tr></table>', 0.2, ['8 kg']],
  ['unlikely values beside kept labels', '<table><tr><td>+ Weight</td><td>8 kg</td></tr></table>', 0.1, []],
  ['a question without kept text before', `<section><h3>Why?</h3>${TWO}</section>`, 0.3, []],
]; // prettier-ignore

for (const [what, html, probability, expected] of ADDED) {
  test(`what belongs to chosen blocks: ${what}`, () => {
    assert.deepEqual(complete(html, probability), expected);
  });
}

const PROSE =
  'The men of the quay mend their nets on the wall by day, and by night they count the lamps of the ships that did not come in before the ebb.';

test('a paragraph goes on after a chosen one that is sure', () => {
  const page = (last: string): string => `<main><div>${ONE}<p>+ ${PROSE}</p></div>${last}</main>`;
  const sure = (html: string): string[] => complete(html, 0.35, 'article', 0.99);
  assert.deepEqual(sure(page(`<p>${PROSE}</p>`)), [PROSE]);
  for (const last of ['<p>All rights reserved.</p>', `<p><a href="/a">${PROSE}</a></p>`, `<div>${PROSE}</div>`])
    assert.deepEqual(sure(page(last)), []);
});

test('the last line of a quoted post is no source', () => {
  assert.deepEqual(
    complete(`<div>${ONE}<blockquote><p>+ It holds.</p><div>Click to expand</div></blockquote></div>`, 0, 'forum'),
    [],
  );
});

test('titles of posts are no labels', () => {
  assert.deepEqual(complete(`<div>${ONE}<section><h3>Re: Tar</h3>${TWO}</section></div>`, 0.4, 'forum'), []);
});

/** Case, call in the text, notes, added texts. */
const NOTES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['of Texinfo', '<a id="DOCF2" href="#FOOT2"><sup>2</sup></a>', '<div><h5><a id="FOOT2" href="#DOCF2">(2)</a></h5><p>There were two.</p></div>', ['(2)', 'There were two.']],
  ['of word processors', '<a href="#_ftn1" name="_ftnref1">[1]</a>', '<div id="ftn1"><p class="MsoFootnoteText"><a href="#_ftnref1" name="_ftn1">[1]</a> Ibid., 4.</p></div>', ['[1] Ibid., 4.']],
  ['of static sites', '<sup><a href="#1">1</a></sup>', '<div class="footnote-definition" id="1"><sup>1</sup><p>See the map.</p></div>', ['1', 'See the map.']],
  ['of letters', '<a class="fn" id="anchor-3" href="#fn-3">3</a>', '<div class="footnote"><a id="fn-3" href="#anchor-3">3</a><div><p>Twice.</p></div></div>', ['3', 'Twice.']],
  ['a link with words', '<a href="#more">see below</a>', '<div id="more"><p>Something else.</p></div>', []],
  ['a section', '<a href="#s4">4</a>', `<div id="s4">${'<p>Text of another part.</p>'.repeat(6)}</div>`, []],
]; // prettier-ignore

for (const [what, call, notes, expected] of NOTES) {
  test(`notes to which a mark in the text links: ${what}`, () => {
    const html = `<div><p>+ A sentence with a mark.${call}</p></div><div class="x">${notes}</div>`;
    assert.deepEqual(complete(html, 0.1), expected);
  });
}

test('a page of marks and notes takes linear time', () => {
  const marks = Array.from({ length: 20_000 }, (_, i) => `<a href="#n${i}">${i % 999}</a> `).join('');
  const notes = Array.from({ length: 20_000 }, (_, i) => `<p id="n${i}">note ${i}</p>`).join('');
  assert.equal(complete(`<p>+ ${marks}</p>${notes}`, 0.1).length, 1_000);
});
