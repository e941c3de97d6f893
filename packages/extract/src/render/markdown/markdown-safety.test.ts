import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { selectEverything } from '../../../test/select-everything.ts';
import { createUrlResolver } from '../../tree/url-resolver.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { hasPythonRenderers, RENDERERS, renderWithPython } from '../../../test/markdown-renderers.ts';
import { renderMarkdown } from './render-markdown.ts';

/** An active element, escaped as text of a page. */
const ESCAPED = '&lt;img src=x onerror=alert(1)&gt;';

/** Elements and attributes that Markdown may produce, besides classes and ids. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title', 'rev', 'data-footnote-ref', 'data-footnote-backref', 'aria-describedby', 'aria-label'],
  blockquote: [],
  br: [],
  code: [],
  del: [],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  img: ['src', 'alt', 'title'],
  input: ['type', 'checked', 'disabled'],
  div: [],
  li: [],
  ol: ['start'],
  p: [],
  pre: [],
  s: [],
  section: ['data-footnotes'],
  sup: [],
  strong: [],
  table: [],
  tbody: [],
  td: ['align'],
  th: ['align'],
  thead: [],
  tr: [],
  ul: [],
};
/** Elements that the parser adds to every document. */
const FRAME: ReadonlySet<string> = new Set(['html', 'head', 'body']);

const ACTIVE_SCHEMES: ReadonlySet<string | undefined> = new Set(['blob:', 'data:', 'javascript:', 'vbscript:']);
/** Autolinks, which some renderers treat as elements. */
const AUTOLINK = /^https?:|@/;
const ACTIVE_ATTRIBUTE = /^(?:on|style$)/;

function toMarkdown(html: string): string {
  const tree = parseTree(html);
  const urls = createUrlResolver('https://example.org/a/', null);
  return renderMarkdown(tree, selectEverything(tree), urls);
}

function assertSafe(html: string): void {
  const markdown = toMarkdown(html);
  for (const { name, knowsCode, render } of RENDERERS)
    if (knowsCode || !hasCode(markdown)) assertInert(render(markdown), `${name} of ${markdown}`);
}

function hasCode(markdown: string): boolean {
  return /(?<!\\)`/.test(markdown);
}

function assertInert(page: string, source: string): void {
  const open: DefaultTreeAdapterTypes.Node[] = [parse(page)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('childNodes' in node) open.push(...node.childNodes);
    if (!('tagName' in node) || FRAME.has(node.tagName)) continue;
    const { tagName, attrs } = node;
    const allowed = ALLOWED[tagName];
    assert.ok(allowed !== undefined || AUTOLINK.test(tagName), `<${tagName}> in ${page}\nby ${source}`);
    for (const { name, value } of attrs) {
      // Braces after an element may give it attributes without a value.
      const isIdle = !ACTIVE_ATTRIBUTE.test(name) && (allowed === undefined || value === name);
      const isAllowed = name === 'id' || name === 'class' || allowed?.includes(name) || isIdle;
      assert.ok(isAllowed, `${name} of <${tagName}> in ${page}\nby ${source}`);
      const scheme = name === 'href' || name === 'src' ? URL.parse(value, 'https://example.org/')?.protocol : undefined;
      assert.ok(!ACTIVE_SCHEMES.has(scheme), `${scheme} in ${page}\nby ${source}`);
    }
  }
}

const PAGES = [
  ['text', `<p>${ESCAPED}</p>`],
  ['a formula', `<p><math><annotation encoding="application/x-tex">a ${ESCAPED} b</annotation></math></p>`],
  [
    'a formula without a source',
    `<p><math><mi>a</mi><mo>&lt;</mo><mi>script</mi><mo>&gt;</mo><mtext>${ESCAPED}</mtext></math></p>`,
  ],
  ['a formula with a backtick before code', `<p><math><mi>\`</mi></math> and <code>\`${ESCAPED}</code></p>`],
  ['a link in a formula', '<p><math><mtext>[x](javascript:alert(1))</mtext></math></p>'],
  ['an address in a formula', '<p><math><mtext>http://a.b/</mtext></math><a href="/x">&lt;b&gt;</a></p>'],
  ['a backslash before an address', '<p>\\http://a.b/\\&lt;b&gt;</p>'],
  ['neighbouring code spans', `<p><code>a</code><code>b\`${ESCAPED}</code></p>`],
  ['code spans separated by a format', `<p><b><code>a</code></b><code>b\`${ESCAPED}\`\`c</code></p>`],
  ['code in a table', `<table><tr><th>a<th>b</tr><tr><td><code>x\\|${ESCAPED}</code><td>\`</table>`],
  [
    'code with backslashes in a table',
    `<table><tr><th>a<th>b</tr><tr><td><code>x\\\\|${ESCAPED}\\</code><td><code>y</code></table>`,
  ],
  ['a fence', `<pre><code class="language-js">\`\`\`\n${ESCAPED}\n~~~~\n</code></pre>`],
  [
    'the alternative text of an image',
    `<p>text</p><p><img src="/a.png" alt="\`&quot;&gt;${ESCAPED}](javascript:alert(1))"> text</p>`,
  ],
  ['an address', `<p><a href="/a&quot;&gt;${ESCAPED}">a</a> <a href="/x)&lt;b&gt;">b</a></p>`],
  ['a heading', `<h2>${ESCAPED}</h2><p>text</p>`],
  ['an address with an attribute', '<p>http://a.b/_/onfocus=alert(1)/autofocus.</p>'],
  [
    'a link whose text is an active address',
    '<p><a href="http://a.b/onfocus=alert(1)/tabindex=1">http://a.b/onfocus=alert(1)/tabindex=1</a></p>',
  ],
  ['an element in two texts', '<p>&lt;<b>img src=x onerror=alert(1)</b>&gt; &lt;<a href="/x">img</a></p>'],
  ['a list item', `<ul><li>${ESCAPED}<ul><li>${ESCAPED}</li></ul></li></ul>`],
  ['a quote', `<blockquote><p>a</p><p>${ESCAPED}</p></blockquote>`],
  [
    'a caption and a cell',
    `<table><caption>${ESCAPED}</caption><tr><th>${ESCAPED}<th>b</tr><tr><td>c<td>${ESCAPED}</table>`,
  ],
  ['a footnote', `<p>a<sup><a href="#n">1</a></sup></p><ol><li id="n">${ESCAPED}</li></ol>`],
  [
    'a footnote that is an active address',
    '<p>a<sup><a href="#n">1</a></sup></p><ol><li id="n">javascript:alert(1)</li></ol>',
  ],
  ['attributes in braces', '<h2>a {onclick=alert(1)}</h2><p><em>b</em>{onclick=alert(1)} {: onclick=alert(1) }</p>'],
  ['a footnote of one word', '<p>a<sup><a href="#n">1</a></sup></p><ol><li id="n">x"onfocus=alert(1)//</li></ol>'],
  ['the end of a line', `<p>a\\<br>${ESCAPED}</p>`],
] as const;

// Checks: threat-live-markdown
for (const [name, html] of PAGES) test(`rendered Markdown runs no code of the page: ${name}`, () => assertSafe(html));

/** Pages of hostile texts in every place of a page. */
function generatePages({ withCode }: { readonly withCode: boolean }): fc.Arbitrary<string> {
  const word = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '`',
      '``',
      '```',
      '\\',
      '|',
      '$',
      '*',
      '_',
      '[',
      '](javascript:1)',
      '!',
      '&lt;b&gt;',
      '&lt;/b',
      ESCAPED,
      '&amp;lt;',
      '\n',
      '&lt;!--',
      '&lt;?',
      '~',
      '#',
      '-',
      '1.',
      '&gt;',
      'http://a.b/',
      '{#a}',
      '{onclick=1}',
      '{: onclick=1 www.a.b}',
      'http://a.b/_/onfocus=1',
      '<b></b>',
      '&amp;',
      'lt;',
      '"',
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 6 }).map((text) => text.replace(/[<&]/g, '')),
  );
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(''));
  const inline = fc.oneof(
    text,
    ...(withCode ? [text.map((inner) => `<code>${inner}</code>`)] : []),
    text.map((inner) => `<math><mtext>${inner}</mtext></math>`),
    text.map((inner) => `<math><annotation encoding="application/x-tex">${inner}</annotation></math>`),
    text.map((inner) => `<b>${inner}</b>`),
    text.map((inner) => `<a href="/x">${inner}</a>`),
    text.map((inner) => `<img src="/i.png" alt="${inner.replaceAll('"', '&quot;')}">`),
    fc.constant('<br>'),
  );
  const line = fc.array(inline, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  const block = fc.oneof(
    line.map((inner) => `<p>${inner}</p>`),
    line.map((inner) => `<h3>${inner}</h3>`),
    line.map((inner) => `<ul><li>${inner}</li><li>b</li></ul>`),
    ...(withCode ? [line.map((inner) => `<pre>${inner}</pre>`)] : []),
    text.map((inner) => `<p>a<sup><a href="#n">1</a></sup></p><ol><li id="n">${inner}</li></ol>`),
    line.map((inner) => `<dl><dt>${inner}<dd>${inner}</dl>`),
    line.map((inner) => `<figure><img src="/j.png"><figcaption>${inner}</figcaption></figure>`),
    line.map((inner) => `<blockquote>${inner}</blockquote>`),
    fc.tuple(line, line).map(([a, b]) => `<table><tr><th>h<th>k</tr><tr><td>${a}<td>${b}</table>`),
  );
  return fc.array(block, { minLength: 1, maxLength: 3 }).map((blocks) => `<article>${blocks.join('')}</article>`);
}

test('code with elements stays code in every renderer', () => {
  const markdown = toMarkdown(`<p>a <code>${ESCAPED}</code> b</p><pre>${ESCAPED}</pre>`);
  for (const { name, render } of RENDERERS) assertInert(render(markdown), `${name} of ${markdown}`);
  if (hasPythonRenderers())
    for (const [name, [page]] of Object.entries(renderWithPython([markdown])))
      assertInert(page, `${name} of ${markdown}`);
});

for (const withCode of [true, false])
  // Checks: threat-live-markdown
  test(`rendered Markdown runs no code of any generated page ${withCode ? 'with' : 'without'} code`, () =>
    fc.assert(fc.property(generatePages({ withCode }), assertSafe), { numRuns: 200, seed: 43 }));

test(
  'rendered Markdown runs no code of any generated page in renderers written in Python',
  { skip: !hasPythonRenderers() },
  () => {
    const generated = fc.sample(generatePages({ withCode: false }), { numRuns: 200, seed: 43 });
    const texts = [...PAGES.map(([, html]) => html), ...generated].map(toMarkdown).filter((text) => !hasCode(text));
    for (const [name, pages] of Object.entries(renderWithPython(texts)))
      for (const [index, page] of pages.entries()) assertInert(page, `${name} of ${texts[index]}`);
  },
);

test('a format around tens of thousands of others, which nobody closed, is written', () => {
  const markdown = toMarkdown(`<p><b>Market ${'<i>x</i> '.repeat(45_000)}</b></p>`);
  assert.match(markdown, /^Market \*x\* \*x\* /);
  assert.match(toMarkdown(`<p><b>Market ${'<i>x</i> '.repeat(3)}</b></p>`), /^\*\*Market /);
});
