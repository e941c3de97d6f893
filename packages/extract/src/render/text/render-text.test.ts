import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectEverything } from '../../../test/select-everything.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { renderText } from './render-text.ts';

test('a blank line separates paragraphs, headings and quotes', () => {
  assertText(
    '<h1>Tides</h1><p>The sea\n  rises.</p><blockquote><p>So it does.</p></blockquote><div>And falls.</div>',
    'Tides\n\nThe sea rises.\n\nSo it does.\n\nAnd falls.',
  );
});

test('each list item is on its own line, including nested items and items that wrap a paragraph', () => {
  assertText(
    '<p>Bring:</p><ul><li>rope</li><li><p>two boats</p><ul><li>oars</li></ul></li></ul><p>Then go.</p>',
    'Bring:\n\nrope\ntwo boats\noars\n\nThen go.',
  );
  assertText(
    '<dl><dt>Ebb</dt><dd>water out</dd><dt>Flood</dt><dd>water in</dd></dl>',
    'Ebb\nwater out\nFlood\nwater in',
  );
});

test('list items with several paragraphs keep them', () => {
  assertText(
    '<ol><li><p>First post.</p><p>More of it.</p></li><li><p>Reply.</p></li></ol>',
    'First post.\n\nMore of it.\n\nReply.',
  );
});

test('rows of a data table become lines, and its cells become columns', () => {
  assertText(
    `<table><caption>Heights</caption><thead><tr><th></th><th>Low</th><th>High</th></tr></thead>
     <tbody><tr><th>Brest</th><td><p>1.2 m</p></td><td>6<br>m</td></tr><tr><td>Hull</td><td></td><td>7 m</td></tr></tbody></table><p>End.</p>`,
    'Heights\n\tLow\tHigh\nBrest\t1.2 m\t6 m\nHull\t\t7 m\n\nEnd.',
  );
});

test('labels side by side are words of their own', () => {
  assertText('<div><b class=n>40</b><small>berths free</small></div>', '40 berths free');
  assertText('<div><span class=key>depth</span><span class=kind>number</span><i></i></div>', 'depth number');
  assertText('<a href=x><span class=old>€145</span><span class=off>19% off</span></a>', '€145 19% off');
});

test('labels after a sign start a new phrase', () => {
  assertText(
    '<figcaption><span class=text>Low water.</span><span class=by>Ann Lee</span></figcaption>',
    'Low water. Ann Lee',
  );
  assertText('<p><b>97%</b><span>of boats</span></p>', '97% of boats');
  assertText('<div><span class=whole>16.</span><span class=cents>99</span></div>', '16.99');
});

test('letters, ordinals, coloured parts of a word and code stay words', () => {
  assertText('<p><span class=cap>T</span><span class=rest>ides turn</span></p>', 'Tides turn');
  assertText('<div><span class=day>3</span><span class=suffix>rd</span></div>', '3rd');
  assertText('<h2><span class=a>Har</span><span class=b>row</span></h2>', 'Harrow');
  assertText('<div><span>ti</span><span>des</span></div>', 'tides');
  assertText(
    '<p><span class=c1>The mo</span><span class=c2>on </span><span class=c1>rises</span></p>',
    'The moon rises',
  );
  assertText('<p>Call <code><span class=k>open</span><span class=v>gate</span></code>.</p>', 'Call opengate.');
});

test('fallback content of audio, video and images is left out', () => {
  assertText(
    '<p>Listen:</p><audio controls src=a.mp3>Your browser plays <b>no sound</b>.</audio><video src=a.mp4><p>No video.</p></video><canvas>No canvas.</canvas><p>Notes.</p>',
    'Listen:\n\nNotes.',
  );
});

test('labels of controls are separate words', () => {
  assertText('<p>Install</p><div><label>pip</label><label>conda</label></div>', 'Install\n\npip conda');
});

test('a layout table has no columns', () => {
  assertText(
    '<table><tr><td><table><tr><td>Menu</td></tr></table></td><td><h2>News</h2><p>One.</p><p>Two.</p></td></tr></table>',
    'Menu\n\nNews\n\nOne.\n\nTwo.',
  );
});

test('a table with at most one visible cell per row is a layout table', () => {
  const tree = parseTree(
    '<table><tr><td>Ann<td>One.<br><br>Two.<tr><td>Bo<td>Three.</table><table><tr><td><td>Four.</table>',
  );
  const blocks = selectEverything(tree);
  const posts = blocks.filter(({ first }) => !/^(?:Ann|Bo)$/.test(tree.value[first]));
  assert.equal(renderText(tree, posts), 'One.\n\nTwo.\n\nThree.\n\nFour.');
  assert.equal(renderText(tree, blocks), 'Ann\tOne. Two.\nBo\tThree.\n\nFour.');
});

test('code blocks are kept unchanged', () => {
  assertText(
    '<p>Run:</p><pre><code>if x:\n    <b>print</b>(x)\n\n\tdone\n</code></pre><p>That is all.</p>',
    'Run:\n\nif x:\n    print(x)\n\n\tdone\n\nThat is all.',
  );
  assertText('<pre><div>a = 1</div><div>  b = 2</div></pre>', 'a = 1\n  b = 2');
});

const CODE = '<pre><b>def</b> f(x):\n    return x\n</pre>';
/** Code listings of several highlighters with line numbers; each has the same code. */
const LISTINGS: Readonly<Record<string, string>> = {
  'lines and numbers separated by line breaks': `<figure><table><tr><td><pre><span>9</span><br><span>10</span><br></pre></td><td><pre><span>def f(x):</span><br><span>    return x</span><br></pre></td></tr></table></figure>`,
  'a table in code': `<pre><code><table><tr><td><pre>1\n2\n</pre></td><td>${CODE}</td></tr></table></code></pre>`,
  'wrapped code': `<table><tr><td><div><pre><i>1</i>\n<i>2</i></pre></div></td><td><div>${CODE}</div></td></tr></table>`,
  'numbers without code': `<table><tr><td><div>1</div><div>2</div></td><td>${CODE}</td></tr></table>`,
  'a single line': '<table><tr><td>1</td><td><pre>def f(x):\n    return x</pre></td></tr></table>',
  'rows of lines in code': `<pre><table><tr><td>7</td><td>def f(x):</td></tr><tr><td>8</td><td>    return x</td></tr></table></pre>`,
  'only code': `<table><tr><td>${CODE}</td></tr></table>`,
};

for (const [what, html] of Object.entries(LISTINGS)) {
  test(`code listings are kept unchanged, without line numbers: ${what}`, () => {
    assertText(`<p>Run:</p>${html}<p>Done.</p>`, 'Run:\n\ndef f(x):\n    return x\n\nDone.');
  });
}

test('code in a data table keeps its lines', () => {
  assertText(
    `<table><tr><th>Call</th><th>Code</th><th>Use</th></tr><tr><td>f</td><td>${CODE}</td><td>often</td></tr>
     <tr><td>g</td><td>As <pre>a<br>  b</pre> says</td></tr></table>`,
    'Call\tCode\tUse\nf\tdef f(x):\n    return x\toften\ng\tAs a\n  b says',
  );
});

test('numbers that are data are kept beside code', () => {
  assertText(
    '<table><tr><td>200</td><td><pre>OK</pre></td></tr><tr><td>404</td><td><pre>none</pre></td></tr></table>',
    '200\tOK\n404\tnone',
  );
  assertText('<table><tr><td>1 2</td><td><code>x</code></td></tr></table>', '1 2\tx');
  assertText('<table><tr><th>No.</th><th>Code</th></tr><tr><td>1</td><td><pre>x</pre></td></tr></table>', 'No.\tCode\n1\tx'); // prettier-ignore
});

test('one line break starts a line, two start a paragraph', () => {
  assertText('<p>Roses<br>Violets<br><br>Sugar</p>', 'Roses\nViolets\n\nSugar');
  assertText('<ul><li>12 Quay Road<br>Brest</li></ul>', '12 Quay Road\nBrest');
});

test('words are separated where a style sheet separates them, and only there', () => {
  assertText('<p><a href=a>north</a><a href=b>south</a></p>', 'north south');
  assertText('<p><span>Price</span><span>20 €</span></p>', 'Price 20 €');
  assertText('<p><span>12</span><span>May</span></p>', '12 May');
  assertText('<p><b>ACME</b><span>Mug</span>, <b>I</b>sland, <b>PDF</b>s</p>', 'ACME Mug, Island, PDFs');
  assertText(
    '<p><s>29,90 €</s><b>24,90 €</b><i>Sale</i></p><p><s>$29</s><b>$24.90</b></p>',
    '29,90 € 24,90 € Sale\n\n$29 $24.90',
  );
  assertText('<p><span>from</span><b>$24</b>, US<b>$24</b>, $<b>24</b></p>', 'from $24, US$24, $24');
  assertText('<p>Al<sub>2</sub>Si<sub>2</sub>O<sub>5</sub>, <b>4</b>K</p>', 'Al2Si2O5, 4K');
  assertText('<p><b>W</b>ind and un<i>likely</i> rain<b>.</b></p>', 'Wind and unlikely rain.');
  assertText('<p>left<img src=x>right</p><p>so<img src=x>.</p>', 'left right\n\nso.');
  assertText('<p><x-name>ebb</x-name><x-time>noon</x-time></p>', 'ebb noon');
  assertText('<p>use <code>get<span>Tide</span></code></p>', 'use getTide');
  assertText(
    '<p>Hash<wbr>Map, get<wbr>Element<wbr>ById <a>one</a><wbr><a>two</a></p>',
    'HashMap, getElementById one two',
  );
});

test('sub- and superscripts belong to their word, but a note reference does not', () => {
  assertText('<p>km<sup>2</sup> and CO<sub>2</sub></p>', 'km2 and CO2');
  assertText('<p>as found<sup><a href="#n1">1</a></sup> before</p>', 'as found 1 before');
  assertText('<p>as found<sup>[<a href="#n1">1</a>]</sup> before</p>', 'as found[1] before');
});

test('quotation marks and parentheses that browsers add are added', () => {
  assertText('<p>She said <q>wait</q>.</p>', 'She said “wait”.');
  assertText('<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby></p>', '漢(かん)字(じ)');
  assertText('<p><ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby></p>', '漢字（かんじ）');
});

test('white space and invisible characters', () => {
  assertText('<p>a\u00a0b&nbsp;&nbsp; c\u2009d\u2028e</p>', 'a b c d e');
  assertText('<p>Donau&shy;dampf\u200bschiff\ufeff fährt</p>', 'Donaudampfschiff fährt');
  assertText('<p>\u3000東京\u3000都</p>', '東京\u3000都');
  assertText('<p>bad \ud800 half</p>', 'bad \ufffd half');
});

test('joiners are kept where a script or an emoji needs them', () => {
  assertText('<p>می\u200cخواهم \u200cنه</p>', 'می\u200cخواهم نه');
  assertText('<p>क्\u200dष and अर्\u200d</p>', 'क्\u200dष and अर्\u200d');
  assertText('<p>👩\u200d🚀 flies, Auf\u200clage</p>', '👩\u200d🚀 flies, Auflage');
});

test('invisible elements inside a paragraph are left out', () => {
  assertText(
    '<p>in<span hidden> no</span><span style="display: none"> no</span><script>no()</script> sight</p>',
    'in sight',
  );
});

test('permalink marks of headings are left out', () => {
  assertText(
    '<h2>Tides<a class=headerlink href="#tides">¶</a></h2><p>See <a href="#n">note</a></p>',
    'Tides\n\nSee note',
  );
  assertText('<h2><a class=anchor href="#ebb">§</a>Ebb</h2><p>Low.</p>', 'Ebb\n\nLow.');
  assertText(
    '<h2><span class="mw-headline">Ebb</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p>Low.</p>',
    'Ebb\n\nLow.',
  );
});

test('only the given blocks are written, separated as on the page', () => {
  const tree = parseTree('<p>one</p><p>two</p><ul><li>three</li></ul><p>four</p>');
  const blocks = selectEverything(tree);
  assert.equal(renderText(tree, [blocks[0], blocks[3]]), 'one\n\nfour');
  assert.equal(renderText(tree, []), '');
});

function assertText(html: string, text: string): void {
  const tree = parseTree(html);
  assert.equal(renderText(tree, selectEverything(tree)), text);
}

test('an inline element that its style displays as a block has a line of its own', () => {
  assertText(
    '<p>Sing: <span style="color:red;display: block">the ebb</span><i style="display:flex">the flood</i> again</p>',
    'Sing:\nthe ebb\nthe flood\nagain',
  );
  assertText(
    '<p>the <span style="display:inline-block">eb</span>b, <b style="display:inline">low</b>er</p>',
    'the ebb, lower',
  );
});

test('a note in the middle of a sentence is in parentheses', () => {
  assertText(
    `<p>They disagree<label for=n></label><input type=checkbox id=n><span class="sidenote">One has walked <i>there</i> since 1979.</span> about it.</p>
     <p>A map<small class="note margin-note">Drawn before the dam</small>, old.</p>`,
    'They disagree (One has walked there since 1979.) about it.\n\nA map (Drawn before the dam), old.',
  );
  assertText(
    '<p>A map<span class="footnote">12</span> and<span class=sidenote> (drawn in 1911)</span>.</p>',
    'A map 12 and (drawn in 1911).',
  );
  assertText('<p><span class="marginnote">A note on its own line.</span></p>', 'A note on its own line.');
});

test('custom elements with text among blocks are paragraphs, those in text are words', () => {
  assertText(
    '<my-story><my-title>Quay</my-title><my-para>One <b>two</b>.</my-para><my-para>Three.</my-para></my-story>',
    'Quay\n\nOne two.\n\nThree.',
  );
  assertText(
    '<div>At <local-time>noon</local-time> <x-y>tide</x-y></div><p><a-b>ebb</a-b><c-d>flow</c-d></p>',
    'At noon tide\n\nebb flow',
  );
  assertText(`<div>${'<x-item>a</x-item>'.repeat(3)}<span>b</span></div>`, 'a a a b');
});
