import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeInner, writeArticlePage } from '../../../test/article-page.ts';
import { selectEverything } from '../../../test/select-everything.ts';
import { selectContent } from '../../content/select-content.ts';
import { createUrlResolver } from '../../tree/url-resolver.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { renderMarkdown } from './render-markdown.ts';

test('headings, emphasis, links and images', () => {
  assertMarkdown(
    '<h2>Tides</h2><p>The <b>sea</b> <i>rises</i>, see <a href="/t?x=1" onclick="x()">the table</a>.</p><figure><img data-src="m.png" src="blank.gif" alt="a moon"><figcaption>The moon</figcaption></figure><p>End</p>',
    '## Tides\n\nThe **sea** *rises*, see [the table](https://example.org/t?x=1).\n\n![a moon](https://example.org/a/m.png)\n\nThe moon\n\nEnd',
  );
});

test('lists, nested and numbered', () => {
  assertMarkdown(
    '<ol start=3><li><p>rope</p></li><li>boats<ul><li>oars</li><li>sails</li></ul></li></ol>',
    '3. rope\n4. boats\n   - oars\n   - sails',
  );
});

test('list items that only contain a list', () => {
  assertMarkdown('<ul><li style="list-style-type:none"><ul><li>A</li><li>B</li></ul></li></ul>', '- A\n- B');
  assertMarkdown('<ul><li><ul><li>A</li></ul></li><li><ul><li>B</li></ul></li></ul>', '- A\n- B');
  assertMarkdown('<ul><li>One</li><ul><li>Sub</li></ul><li>Two</li></ul>', '- One\n  - Sub\n- Two');
  assertMarkdown('<ul><li>One</li><li><ol><li>Sub</li></ol></li><li>Two</li></ul>', '- One\n  1. Sub\n- Two');
  assertMarkdown('<ul><li><ol><li>Sub</li></ol></li><li>One</li></ul>', '- 1. Sub\n- One');
});

test('data tables become tables, layout tables become paragraphs', () => {
  assertMarkdown(
    '<table><tr><th>Port<th>Notes</tr><tr><td>Brest<td><ul><li>deep</li><li>a | b</li></ul></tr></table>',
    '| Port | Notes |\n| - | - |\n| Brest | deep<br>a \\| b |',
  );
  assertMarkdown('<table><tr><td><p>One</p><p>Two</p></td></tr></table>', 'One\n\nTwo');
  assertMarkdown('<table><tr><td> <td>One<br><br>Two</table>', 'One\n\nTwo');
});

test('empty cells keep their columns, and empty definitions keep their terms', () => {
  assertInArticle(
    '<table><thead><tr><th></th><th>2020</th><th>2021</th></tr></thead><tr><td>Ships</td><td></td><td>14</td></tr><tr><td>Docks</td><td>5</td><td></td></tr></table>',
    '| | 2020 | 2021 |\n| - | - | - |\n| Ships | | 14 |\n| Docks | 5 | |',
  );
  assertMarkdown('<dl><dt>name</dt><dd></dd><dt>size</dt><dd>large</dd></dl>', '- name\n\n- size\n\n  large');
  assertMarkdown('<dl><dt>sizes</dt><dd>S</dd><dd></dd><dd>M</dd><dd> </dd></dl>', '- sizes\n  - S\n  - M');
});

test('a list whose only item is a whole section is layout', () => {
  const texts = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  const section = texts.map((text) => `<p>${text}</p>`).join('');
  assertMarkdown(`<ul><li><h2>Ships</h2>${section}</li></ul>`, ['## Ships', ...texts].join('\n\n'));
  assertMarkdown('<ul><li><p>One</p><p>Two</p></li></ul>', '- One\n\n  Two');
  assertMarkdown(`<ol start=3><li>${section}</li></ol>`, `3. ${texts.join('\n\n   ')}`);
});

test('pictures of buttons and of links that share the page are left out', () => {
  const share = (href: string): string => `<a href="${href}"><i><img src="s.png" alt="Send" width=80></i></a>`;
  assertInArticle(
    `<ul><li>${share('https://www.facebook.com/sharer.php?u=x')}</li><li>${share('//x.com/intent/post?url=x')}</li><li>${share('https://social-plugins.line.me/lineit/share?url=x')}</li></ul>`,
    '',
  );
  for (const sign of [
    '<a href="https://go.example/1"><img src="f.png" alt="Facebook" width=24></a>',
    '<a href="https://www.instagram.com/harbour"><img src="i.png" alt="Instagram logo"></a>',
  ])
    assertInArticle(`<table><tr><td>${sign}</td></tr></table>`, '');
  assertInArticle('<p><img src="dot.png" width=20> Open daily</p>', 'Open daily');
  assertInArticle(
    '<p><a href="https://x.com/harbour"><img src="a.jpg" alt="The harbour" width=80></a></p>',
    '[![The harbour](https://example.org/a/a.jpg)](https://x.com/harbour)',
  );
});

test('one rule parts two texts, and none ends the content', () => {
  assertMarkdown('<p>One</p><hr><div><hr></div><hr><p>Two</p><hr><p></p><hr>', 'One\n\n---\n\nTwo');
});

test('a lazy player and its copy for readers without scripts are one link', () => {
  const player = (source: string): string =>
    `<iframe title="The harbour" ${source}="https://video.example/embed/7"></iframe>`;
  assertInArticle(
    `${player('data-src')}<noscript>${player('src')}</noscript>`,
    '[The harbour](https://video.example/embed/7)',
  );
});

test('code keeps its lines and its language', () => {
  assertMarkdown(
    '<p>Call <code>f(`x`)</code>:</p><div class="highlight-source-js"><pre>let x = <span>1</span>;\n  f(x);\n</pre></div>',
    'Call ``f(`x`)``:\n\n```js\nlet x = 1;\n  f(x);\n```',
  );
  assertMarkdown(
    '<div class="highlight-python notranslate"><div class=highlight><pre>x</pre></div></div>',
    '```python\nx\n```',
  );
});

/** Source of the language, code, language. */
const CODE_LANGUAGES: readonly (readonly [string, string, string])[] = [
  ["the block's data attribute", '<pre data-language="TS">x</pre>', 'ts'],
  ["the code's data attribute", '<pre><code data-lang="c++">x</code></pre>', 'c++'],
  ["a highlighter's data attribute", '<pre data-enlighter-language="js">x</pre>', 'js'],
  ['the class before the data attribute', '<pre class="language-ts" data-lang="js">x</pre>', 'ts'],
  ['a word after hljs', '<pre class="hljs javascript">x</pre>', 'javascript'],
  ['a word before hljs', '<pre><code class="rust hljs">x</code></pre>', 'rust'],
  [
    'an element around a table of lines',
    '<div class="highlight-rope"><table><tr><td><pre>1</pre></td><td><div><pre>x</pre></div></td></tr></table></div>',
    'rope',
  ],
  ['nothing if there is only hljs', '<pre><code class="hljs">x</code></pre>', ''],
  ['nothing if the attribute is not a language name', '<pre data-lang="{json}">x</pre>', ''],
  ['nothing if only an outer element has a data attribute', '<div data-lang="en"><pre>x</pre></div>', ''],
];

for (const [what, code, language] of CODE_LANGUAGES) {
  test(`the language of code comes from ${what}`, () => assertMarkdown(code, `\`\`\`${language}\nx\n\`\`\``));
}

test('a code listing loses its line numbers, and code in a cell keeps its lines', () => {
  const listing =
    '<pre class="language-py"><code><table><tr><td><pre>1\n2\n</pre></td><td><pre>if x:\n  y\n</pre></td></tr></table></code></pre>';
  assert.equal(render(listing), '```py\nif x:\n  y\n```');
  assert.equal(
    render('<table><tr><th>Call</th><th>Code</th></tr><tr><td>f</td><td>So: <pre>a = 1\n\nb</pre></td></tr></table>'),
    '| Call | Code |\n| - | - |\n| f | So: `a = 1`<br>`b` |',
  );
});

test('quotes, line breaks and strikethrough', () => {
  assertMarkdown(
    '<blockquote>Roses<br>Violets</blockquote><p><s>old</s> new</p>',
    '> Roses\\\n> Violets\n\n~~old~~ new',
  );
});

test('a heading is one line', () => {
  assertMarkdown('<h2>All apps,<br><br>in one<br>place</h2>', '## All apps, in one place');
  assertMarkdown('<h4>All apps,<br>in one place</h4>', '#### All apps, in one place');
});

test('two line breaks separate paragraphs, and lines of code', () => {
  assertInArticle('<p>First part, read.<br><br>Second part, full.</p>', 'First part, read.\n\nSecond part, full.');
  assertInArticle('First part, read.<br><br>Second part, full.', 'First part, read.\n\nSecond part, full.');
  assertInArticle('<blockquote>First part.<br><br>Second part.</blockquote>', '> First part.\n>\n> Second part.');
  assertInArticle('<ul><li>First part.<br><br>Second part.</li></ul>', '- First part.\n\n  Second part.');
  assertInArticle('<pre>f = () => {<br>  return 1;<br><br>f();</pre>', '```\nf = () => {\n  return 1;\n\nf();\n```');
});

test('sub- and superscripts belong to their word, and wbr does not split a word', () => {
  assertMarkdown('<p>25 km<sup>2</sup> of Hash<wbr>Map</p>', '25 km2 of HashMap');
});

test('a caption is a paragraph before its table', () => {
  assertMarkdown(
    '<table><caption>Ships by <b>year</b></caption><tr><th>Year<th>Ships<tr><td>2020<td>14</table>',
    'Ships by **year**\n\n| Year | Ships |\n| - | - |\n| 2020 | 14 |',
  );
  assertMarkdown('<table><caption>Ships by year</caption><tr><th></th></tr></table>', 'Ships by year');
});

test('ruby annotations are in parentheses', () => {
  assertMarkdown('<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby></p>', '漢(かん)字(じ)');
  assertMarkdown('<p><ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby></p>', '漢字（かんじ）');
});

test('list items with checkboxes become tasks', () => {
  assertMarkdown(
    '<ul><li><input type="checkbox" checked> done</li><li><label><input type=checkbox>open</label></li><li><p><input type=checkbox>two<p>paragraphs</ul>',
    '- [x] done\n\n- [ ] open\n\n- [ ] two\n\n  paragraphs',
  );
  assertMarkdown(
    '<p><input type=checkbox> I agree</p><ul><li>no <input type=checkbox> task<li><input> text</ul>',
    'I agree\n\n- no task\n- text',
  );
});

test('text that Markdown would read as markup is escaped', () => {
  assertMarkdown(
    '<p>2 * 3 * 4 and # no <b>heading</b></p><p># neither</p>',
    '2 \\* 3 \\* 4 and # no **heading**\n\n\\# neither',
  );
});

/** Case, HTML, Markdown. */
const FORMATS: readonly (readonly [string, string, string])[] = [
  ['a format inside it', 'un<i>likely</i>', 'un*likely*'],
  ['a punctuation mark at the end', '<b>Note:</b>the', '**Note**:the'],
  ['punctuation marks at both ends', '这是<b>“重点”</b>的', '这是“**重点**”的'],
  ['a punctuation mark after a space', '<b>Ebb –</b>low', '**Ebb** –low'],
  ['a punctuation mark in two formats', '<b><i>Note:</i></b>the', '**_Note_**:the'],
  ['only punctuation marks', 'ebb<b><i>!</i></b>low', 'ebb!low'],
  ['no punctuation mark', '<b>Note:</b> the <i>“ebb”</i>', '**Note:** the *“ebb”*'],
  ['code', 'a<code>!</code>b', 'a`!`b'],
];

for (const [what, source, markdown] of FORMATS) {
  test(`emphasis next to a word: ${what}`, () => assertMarkdown(`<p>${source}</p>`, markdown));
}

test('a link around blocks is a link in each of them', () => {
  assertMarkdown(
    '<a href="/card"><h3>Card</h3><p>Text</p></a>',
    '### [Card](https://example.org/card)\n\n[Text](https://example.org/card)',
  );
});

test('a table of many spanning cells stays small', () => {
  const cells = '<td colspan=50 rowspan=50>x</td>'.repeat(2_000);
  const markdown = render(`<table><tr><th>a</th></tr>${`<tr>${cells}</tr>`.repeat(3)}</table>`);
  assert.ok(markdown.length < 100_000, String(markdown.length));
});

test('a table of one long row and many short ones stays small', () => {
  const markdown = render(`<table><tr>${'<th>x'.repeat(3_000)}</tr>${'<tr><td>y'.repeat(3_000)}</table>`);
  assert.ok(markdown.length < 100_000, String(markdown.length));
  assert.equal(markdown.match(/x/g)?.length, 3_000);
});

test('elements without a Markdown equivalent become text', () => {
  assertMarkdown('<p>On <time>1 <abbr>Jan</abbr></time>, <strong>a<sup>2</sup></strong>.', 'On 1 Jan, **a2**.');
  assertMarkdown(`<p>${'<time>1 May</time> '.repeat(20_000)}`, '1 May '.repeat(20_000).trim());
});

function assertMarkdown(html: string, markdown: string): void {
  assert.equal(render(html), markdown);
}

function assertInArticle(html: string, markdown: string): void {
  const tree = parseTree(writeArticlePage(html));
  const { blocks } = selectContent(tree, '');
  const rendering = renderMarkdown(tree, blocks, createUrlResolver('https://example.org/a/', null));
  assert.equal(takeInner(rendering)?.trim(), markdown);
}

function render(html: string): string {
  const tree = parseTree(html);
  return renderMarkdown(tree, selectEverything(tree), createUrlResolver('https://example.org/a/', null));
}

test('items keep the numbers of the page', () => {
  assertLists('<ol start=7><li>a<li>b</ol>', '7. a\n8. b');
  assertLists('<ol><li>a<li value=12>b<li>c</ol>', '1. a\n12. b\n13. c');
  assertLists('<ol reversed><li>a<li>b<li>c</ol>', '3. a\n2. b\n1. c');
  assertLists(
    '<ol reversed start=2><li>a<ol><li>b</ol><li value=9><input type=checkbox>c</ol>',
    '2. a\n   1. b\n9. [ ] c',
  );
  assertLists('<ul><li value=4>a<li>b</ul>', '- a\n- b');
  const many = `<ol>${'<li value=5>a'.repeat(10_000)}</ol>`;
  const tree = parseTree(many);
  assert.equal(renderMarkdown(tree, selectEverything(tree), createUrlResolver(undefined, null)).length, 50_000 - 1);
});

test('items of a list in a cell are on lines of the cell', () => {
  assertLists(
    '<table><tr><th>Bring</th><td>Now: <ul><li>a rope<li>two <b>oars</b></ul></td></tr><tr><th>x</th><td>y</td></tr></table>',
    '| Bring | Now: a rope<br>two **oars** |\n| - | - |\n| x | y |',
  );
});

function assertLists(html: string, markdown: string): void {
  const tree = parseTree(html);
  assert.equal(renderMarkdown(tree, selectEverything(tree), createUrlResolver(undefined, null)), markdown);
}
