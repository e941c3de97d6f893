import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectEverything } from '../../test/select-everything.ts';
import { renderText } from '../render/text/render-text.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { TAG } from '../tree/tags.ts';
import { keepCaptions } from './keep-captions.ts';
import { keepCode } from './keep-code.ts';
import { keepRowHeaders } from './keep-row-headers.ts';
import { leaveOutHeader, leaveOutLastHeading, leaveOutName, type StatedFields } from './leave-out-header.ts';

const PROSE = 'The sea comes and goes twice a day, and all along the coast people live by the hour at which it does.';
const FIELDS: StatedFields = {
  title: 'The tide comes in',
  author: 'Ann Lee',
  publishTime: '2024-03-05T10:30:00',
  language: 'en',
  documentTitle: 'The tide comes in | Coast News',
};

/** Case, content, expected text. */
const HEADERS: readonly (readonly [string, string, string])[] = [
  ['the title', `<h1>The tide comes in</h1><p>${PROSE}</p>`, PROSE],
  ['the title and a byline', `<h1>The tide comes in</h1><p>By Ann Lee, March 5, 2024</p><p>${PROSE}</p>`, PROSE],
  ['a date alone', `<p>5 March 2024</p><p>${PROSE}</p>`, PROSE],
  ['a version and the title', `<div>Version: 3.x (Latest)</div><h1>The tide comes in</h1><p>${PROSE}</p>`, PROSE],
  ['a sentence about a version', `<p>Version 3 is the one to use here.</p><p>${PROSE}</p>`, `Version 3 is the one to use here.\n\n${PROSE}`],
  ['a heading of the text', `<h2>Twice a day</h2><p>${PROSE}</p>`, `Twice a day\n\n${PROSE}`],
  ['a sentence about the author', `<p>Ann Lee has watched the tide for years from her window.</p><p>${PROSE}</p>`, `Ann Lee has watched the tide for years from her window.\n\n${PROSE}`],
  ['another date', `<p>May 3, 1999</p><p>${PROSE}</p>`, `May 3, 1999\n\n${PROSE}`],
  ['no paragraph after it', '<h1>The tide comes in</h1><p>At noon.</p>', 'The tide comes in\n\nAt noon.'],
]; // prettier-ignore

for (const [what, html, expected] of HEADERS) {
  test(`leading lines that repeat a field: ${what}`, () => {
    const tree = parseTree(html);
    assert.equal(renderText(tree, leaveOutHeader(tree, selectEverything(tree), FIELDS)), expected);
  });
}

test('a heading that does not start the title element stays in the content', () => {
  const tree = parseTree(`<h1>The tide comes in</h1><p>${PROSE}</p>`);
  const blocks = selectEverything(tree);
  assert.equal(leaveOutHeader(tree, blocks, { ...FIELDS, documentTitle: 'Coast News' }), blocks);
});

test('headings that repeat the name of a product are left out, lines of its text are not', () => {
  const name = '<h2>The tide comes in</h2>';
  const tree = parseTree(`${name}<p>€14.00</p>${name}<p>The tide comes in</p><p>A print.</p>`);
  assert.equal(
    renderText(tree, leaveOutName(tree, selectEverything(tree), FIELDS)),
    '€14.00\n\nThe tide comes in\n\nA print.',
  );
  const alone = parseTree(name);
  assert.equal(leaveOutName(alone, selectEverything(alone), FIELDS).length, 1);
});

/** Case, page, expected text; the blocks outside `<pre>` before the first `<hr>` are selected. */
const CODE: readonly (readonly [string, string, string])[] = [
  ['after the text', '<div><p>Write this:</p><pre>a = 1\nb = 2</pre></div>', 'Write this:\n\na = 1\nb = 2'],
  ['in wrappers, twice', '<div><p>Write this:</p><div><div><pre>a = 1</pre></div></div><pre>b = 2</pre></div>', 'Write this:\n\na = 1\n\nb = 2'],
  ['after other text', '<div><p>Write this:</p><hr><p>Unwanted.</p><pre>a = 1</pre></div>', 'Write this:'],
  ['between paragraphs', '<div><p>Write this:</p><pre>a = 1</pre><p>Then run it.</p></div>', 'Write this:\n\na = 1\n\nThen run it.'],
  ['empty code before other text', '<div><p>Write this:</p><hr><pre></pre><p>Unwanted.</p></div>', 'Write this:'],
]; // prettier-ignore

for (const [what, html, expected] of CODE) {
  test(`trailing code: ${what}`, () => {
    const tree = parseTree(html);
    const rule = tree.tag.indexOf(TAG.hr);
    const end = rule < 0 ? tree.size : rule;
    const chosen = selectEverything(tree).filter((block) => block.first < end && tree.tag[block.element] !== TAG.pre);
    assert.equal(renderText(tree, keepCode(tree, chosen)), expected);
  });
}

/** Case, page, expected text; all before the first figure but the caption is selected. */
const CAPTIONS: readonly (readonly [string, string, string])[] = [
  ['between paragraphs', '<p>One.</p><figure><img src="a"><figcaption>A boat</figcaption></figure><p>Two.</p>', 'One.\n\nA boat\n\nTwo.'],
  ['after the last paragraph', '<p>One.</p><p>Two.</p><figure><img src="a"><figcaption>A boat</figcaption></figure>', 'One.\n\nTwo.\n\nA boat'],
  ['of a table at the end', '<p>One.</p><p>Two.</p><figure><table><tr><td>3</td></tr></table><figcaption>Boats</figcaption></figure>', 'One.\n\nTwo.\n\n3\n\nBoats'],
  ['after other text', '<p>One.</p><p>Two.</p><div class="x">Unwanted</div><figure><img src="a"><figcaption>A boat</figcaption></figure>', 'One.\n\nTwo.'],
  ['in an aside', '<p>One.</p><p>Two.</p><aside><figure><img src="a"><figcaption>A boat</figcaption></figure></aside>', 'One.\n\nTwo.'],
  ['of a figure that leads to its picture', '<p>One.</p><a href="/x.JPG?w=9" class="zoom"><figure><img src="a"><figcaption>A boat</figcaption></figure></a><p>Two.</p>', 'One.\n\nA boat\n\nTwo.'],
  ['of a slide and its copy', '<p>One.</p><figure><img src="a"><figcaption>A boat</figcaption></figure><figure><img src="a"><figcaption> A boat</figcaption></figure><p>Two.</p>', 'One.\n\nA boat\n\nTwo.'],
  ['of a teaser', '<p>One.</p><p>Two.</p><a href="/x"><figure><img src="a"><figcaption>A boat</figcaption></figure></a>', 'One.\n\nTwo.'],
]; // prettier-ignore

for (const [what, html, expected] of CAPTIONS) {
  test(`captions: ${what}`, () => {
    const tree = parseTree(`<main>${html}</main><p>Footer</p>`);
    const chosen = selectEverything(tree).filter(
      ({ element }) =>
        tree.tag[element] !== TAG.figcaption && tree.tag[element] !== TAG.div && tree.parent[element] > 3,
    );
    assert.equal(renderText(tree, keepCaptions(tree, chosen)), expected);
  });
}

test('lines of code keep their indents', () => {
  const code = '<div><span>if a {</span></div><div><span>  </span><b>go</b>()</div>';
  const tree = parseTree(`<p>Write:</p><pre>${code}</pre>`);
  assert.equal(renderText(tree, keepCode(tree, selectEverything(tree))), 'Write:\n\nif a {\n  go()');
});

/** Case, rows of a table whose `<td>` are selected, expected text. */
const ROWS: readonly (readonly [string, string, string])[] = [
  ['a label', '<tr><th>Weight</th><td>0.6 kg</td></tr><tr><th>Colour</th><td>red</td></tr>', 'Weight\t0.6 kg\nColour\tred'],
  ['a row of labels only', '<tr><th>Weight</th><th>Colour</th></tr><tr><td>0.6 kg</td><td>red</td></tr>', '0.6 kg\tred'],
  ['a long cell', `<tr><th>${PROSE}</th><td>0.6 kg</td></tr><tr><td>1</td><td>2</td></tr>`, '0.6 kg\n1\t2'],
  ['labels before several cells', '<tr><th>Low</th><td>3</td><th>High</th><td>5</td></tr>', 'Low\t3\tHigh\t5'],
]; // prettier-ignore

for (const [what, rows, expected] of ROWS) {
  test(`header cells of content rows: ${what}`, () => {
    const tree = parseTree(`<table>${rows}</table>`);
    const cells = selectEverything(tree).filter(({ first }) => tree.tag[tree.parent[first]] === TAG.td);
    assert.equal(renderText(tree, keepRowHeaders(tree, cells)), expected);
  });
}

/** Case, end of the content, whether its last line stays. */
const ENDS: readonly (readonly [string, string, boolean])[] = [
  ['a heading without a section', '<h3><span>Your answer</span></h3>', false],
  ['a heading before a picture', '<h3>The pier</h3><div><img src="a.jpg"></div>', true],
  ['headings that are a list', '<h3>One pier</h3><h3>Two piers</h3>', true],
  ['a note as a heading', '<h4>Times are those of the harbour.</h4>', true],
  ['a short paragraph', '<p>The end</p>', true],
]; // prettier-ignore

for (const [what, html, stays] of ENDS) {
  test(`the end of the content: ${what}`, () => {
    const tree = parseTree(`<p>${PROSE}</p><p>${PROSE}</p>${html}<form><textarea></textarea></form>`);
    const blocks = selectEverything(tree);
    assert.equal(leaveOutLastHeading(tree, blocks, 'forum').length, stays ? blocks.length : blocks.length - 1);
    assert.equal(leaveOutLastHeading(tree, blocks, 'listing'), blocks);
  });
}

test('a displayed formula after the text is kept, whatever is around it', () => {
  const formula = '<table><tr><td></td><td><math alttext="Q=vA" display="block"><mi>Q</mi></math></td></tr></table>';
  const tree = parseTree(`<section><p>Then</p>${formula}<p>holds.</p></section>`);
  const chosen = selectEverything(tree).filter(({ element }) => tree.tag[element] === TAG.p);
  assert.equal(renderText(tree, keepCode(tree, chosen)), 'Then\n\nQ=vA\n\nholds.');
});
