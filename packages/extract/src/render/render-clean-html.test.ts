import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeInner, writeArticlePage } from '../../test/article-page.ts';
import { selectEverything } from '../../test/select-everything.ts';
import { selectContent } from '../content/select-content.ts';
import { createUrlResolver } from '../tree/url-resolver.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { renderCleanHtml } from './render-clean-html.ts';

test('elements outside the allow-list become text, attributes outside it are removed', () => {
  assertHtml(
    '<div class=x onclick="steal()"><font color=red>Red</font> <p style="color:red" id=p>text <custom-x>here</custom-x></p></div>',
    '<p>Red</p><p>text here</p>',
  );
});

test('no active content passes', () => {
  assertHtml(
    `<p><a href="javascript:x()">one</a> <a href=" JaVaScRiPt:x()">two</a> <a href="data:text/html,x">three</a>
     <img src="javascript:x()" onerror="x()"><img src=x onerror=x()> four<script>x()</script><iframe src="https://evil.example/"></iframe></p>`,
    '<p>one two three <img src="https://example.org/a/x" alt=""> four</p>',
  );
  assertHtml('<p title="&quot;><script>">&lt;script>x()&lt;/script></p>', '<p>&#x3C;script>x()&#x3C;/script></p>');
});

test('addresses are absolute and only http or https', () => {
  assertHtml(
    '<p><a href="../b?c#d">up</a> <a href="//cdn.example.org/f">other</a> <a href="mailto:x@example.org">mail</a></p>',
    '<p><a href="https://example.org/b?c#d">up</a> <a href="https://cdn.example.org/f">other</a> mail</p>',
  );
});

test('paragraphs, formats and headings never contain blocks', () => {
  assertHtml('<b>Bold<div>block</div></b>', '<p><strong>Bold</strong></p><p><strong>block</strong></p>');
  assertHtml('<h2><div>Two</div><div>parts</div></h2>', '<h2>Two parts</h2>');
  assertHtml(
    '<ul>loose<li>item</li><ul><li>deeper</li></ul></ul>',
    '<ul><li>loose</li><li>item<ul><li>deeper</li></ul></li></ul>',
  );
  assertHtml('<li>stray</li><td>cell</td>', '<p>stray</p><p>cell</p>');
});

test('tables keep their structure and spans', () => {
  assertHtml(
    '<table border=1><caption>C</caption><tr><th colspan=2 scope=col>H</th></tr><tr><td>a</td><td dir=rtl>ב</td></tr></table>',
    '<table><caption>C</caption><tbody><tr><th colspan="2">H</th></tr><tr><td>a</td><td dir="rtl">ב</td></tr></tbody></table>',
  );
});

test('empty cells are kept in their rows', () => {
  assertHtml(
    '<table><tr><th></th><th>A</th><th>B</th></tr><tr><td>x</td><td> </td><td>1</td></tr><tr><td></td></tr><tr><td>y</td><td>2</td><td></td></tr></table>',
    '<table><tbody><tr><th></th><th>A</th><th>B</th></tr><tr><td>x</td><td></td><td>1</td></tr><tr><td>y</td><td>2</td><td></td></tr></tbody></table>',
  );
});

test('cells that are not selected are empty', () => {
  const tree = parseTree('<table><tr><th>a<th>b<th>c<tr><td>d<td>e<td>f<tr><td>g<td>h<td>i</table>');
  const blocks = selectEverything(tree).filter((_, index) => [0, 2, 4].includes(index));
  assert.equal(
    renderCleanHtml(tree, blocks, createUrlResolver(undefined, null)),
    '<table><tbody><tr><th>a</th><th></th><th>c</th></tr><tr><td></td><td>e</td><td></td></tr></tbody></table>',
  );
});

test('code blocks, quotes and line breaks', () => {
  assertHtml(
    '<pre class="language-py">a &lt; b\n  c</pre><blockquote>q<br>r</blockquote>',
    '<pre><code class="language-py">a &#x3C; b\n  c</code></pre><blockquote><p>q<br>r</p></blockquote>',
  );
});

test('two line breaks separate paragraphs, or lines where paragraphs are not allowed', () => {
  assertHtml('<div>One.<br><br>Two.<br></div>', '<p>One.</p><p>Two.</p>');
  assertHtml(
    '<p dir=rtl>One <b>b<br> <br>c</b>.',
    '<p dir="rtl">One <strong>b</strong></p><p dir="rtl"><strong>c</strong>.</p>',
  );
  assertHtml('<ul><li><p>One.<br><br><br>Two.</p></li></ul>', '<ul><li><p>One.</p><p>Two.</p></li></ul>');
  assertHtml('<h2>One<br><br>Two<br>Three</h2>', '<h2>One<br><br>Two<br>Three</h2>');
  assertHtml('<pre><div>a {<br></div>  b<br><br>c</pre>', '<pre><code>a {\n  b\n\nc</code></pre>');
  assertInArticle(
    '<p>First part, read.<br><br>Second part, full.</p>',
    '<p>First part, read.</p><p>Second part, full.</p>',
  );
});

test('superscripts and parts of a name join their word, links and separate words get a space', () => {
  assertHtml(
    '<p>25 km<sup>2</sup>, log<sub>2</sub>n, found<sup><a href=#n>1</a></sup></p>',
    '<p>25 km<sup>2</sup>, log<sub>2</sub>n, found <sup><a href="https://example.org/a/#n">1</a></sup></p>',
  );
  assertHtml('<p>Hash<wbr>Map or get<wbr><b>Tide</b></p>', '<p>HashMap or get<strong>Tide</strong></p>');
  assertHtml(
    '<p>un<b>Likely</b>, use <code>get<i>Tide</i></code></p>',
    '<p>un <strong>Likely</strong>, use <code>get<em>Tide</em></code></p>',
  );
  assertHtml(
    '<p><a href=n>north</a><a href=s>south</a></p>',
    '<p><a href="https://example.org/a/n">north</a> <a href="https://example.org/a/s">south</a></p>',
  );
});

test('custom elements and visible elements separate words', () => {
  assertHtml('<p>the <x-a>ebb</x-a><x-b>noon</x-b>, <nobr>low</nobr>er</p>', '<p>the ebb noon, lower</p>');
  assertHtml('<p>left<svg></svg>right<img src="data:,">up<i>per</i></p>', '<p>left right up<em>per</em></p>');
});

test('styled lines, notes in a sentence and custom blocks stand apart', () => {
  assertHtml(
    '<p>Sing: <span style="display:block">the <b>ebb</b></span><span style="display:block">the flood</span></p>',
    '<p>Sing:<br>the <strong>ebb</strong><br>the flood</p>',
  );
  assertHtml(
    '<p>They disagree<span class="sidenote">One <i>walked</i> there.</span> about it.</p>',
    '<p>They disagree (One <em>walked</em> there.) about it.</p>',
  );
  assertHtml('<x-all><x-p>One.</x-p><x-p>Two.</x-p></x-all>', '<p>One.</p><p>Two.</p>');
});

test('ruby annotations get parentheses, tasks keep their checkboxes', () => {
  assertHtml('<ruby>漢<rt>かん</ruby>', '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>');
  assertHtml(
    '<ul><li><input type=checkbox checked onclick="x()"><p>done</p><li><input type=checkbox></ul>',
    '<ul><li><input type="checkbox" checked disabled> done</li></ul>',
  );
});

test('a code listing loses its line numbers, and code in a cell keeps its lines', () => {
  assertHtml(
    '<figure><table><tr><td><pre>1<br>2</pre></td><td><pre>if x:<br>  y</pre></td></tr></table></figure>',
    '<figure><pre><code>if x:\n  y</code></pre></figure>',
  );
  assertHtml(
    '<table><tr><th>f</th><td><pre>if x:\n  y\n</pre></td></tr></table>',
    '<table><tbody><tr><th>f</th><td><pre><code>if x:\n  y</code></pre></td></tr></tbody></table>',
  );
});

test('AMP images become images, without their placeholders and fallbacks', () => {
  assertHtml(
    '<p>a</p><amp-img src=x.jpg alt=X width=8 height=6 layout=responsive><noscript><img src=x.jpg></noscript></amp-img><p>b</p>',
    '<p>a</p><p><img src="https://example.org/a/x.jpg" alt="X" width="8" height="6"></p><p>b</p>',
  );
});

test('a list is only nested in the item whose text precedes it', () => {
  const tree = parseTree(
    '<ul><li>A<li>B<ul><li>C</ul><li>D<li>E<ul><li>F</ul></ul><ul><li>G<li>H</li><ul><li>I</ul></ul>',
  );
  const blocks = selectEverything(tree).filter((_, index) => ![1, 7].includes(index));
  assert.equal(
    renderCleanHtml(tree, blocks, createUrlResolver('https://example.org/a/', null)),
    '<ul><li>A</li><li><ul><li>C</li></ul></li><li>D</li><li>E<ul><li>F</li></ul></li></ul><ul><li>G</li><li>I</li></ul>',
  );
});

test('the noscript copy of an image with a source is left out', () => {
  const copy = '<noscript><img src=x.jpg alt=X></noscript>';
  const image = '<p><img src="https://example.org/a/x.jpg" alt="X"></p>';
  assertHtml(
    `<p>a</p><figure><img src="data:,R0" data-src=x.jpg alt=X>${copy}</figure><p>b</p>`,
    `<p>a</p><figure>${image}</figure><p>b</p>`,
  );
  assertHtml(`<p>a</p><img src="data:,R0">${copy}<p>b</p>`, `<p>a</p>${image}<p>b</p>`);
});

test('tracking pixels and placeholder images are left out', () => {
  assertHtml(
    '<p>a</p><p><img src=count.gif width=1 height=1><img src=s.gif width=40 height=1><img src=x.jpg width=40 height=30></p><p>b</p>',
    '<p>a</p><p><img src="https://example.org/a/x.jpg" alt="" width="40" height="30"></p><p>b</p>',
  );
});

test('deep nesting is flattened', () => {
  const html = render(`${'<blockquote><b><ul><li>'.repeat(5_000)}deep`);
  assert.match(html, /deep/);
  assert.ok(html.length < 10_000, String(html.length));
});

function assertHtml(source: string, html: string): void {
  assert.equal(render(source), html);
}

function assertInArticle(source: string, html: string): void {
  const tree = parseTree(writeArticlePage(source));
  const { blocks } = selectContent(tree, '');
  assert.equal(
    takeInner(renderCleanHtml(tree, blocks, createUrlResolver('https://example.org/a/', null))),
    `</p>${html}<p>`,
  );
}

function render(source: string): string {
  const tree = parseTree(source);
  return renderCleanHtml(tree, selectEverything(tree), createUrlResolver('https://example.org/a/', null));
}
