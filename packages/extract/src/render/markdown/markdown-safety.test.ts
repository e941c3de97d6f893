import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { selectEverything } from '../../../test/select-everything.ts';
import { createUrlResolver } from '../../tree/url-resolver.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { renderMarkdown } from './render-markdown.ts';

/** An active element, escaped as text of a page. */
const ESCAPED = '&lt;img src=x onerror=alert(1)&gt;';

/** Elements and attributes that Markdown may produce. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  blockquote: [],
  br: [],
  code: ['class'],
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
  li: [],
  ol: ['start'],
  p: [],
  pre: [],
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

/** Renders HTML as Markdown, and the Markdown as HTML with raw HTML and dangerous addresses unchanged. */
function renderTwice(html: string): { readonly markdown: string; readonly pages: readonly string[] } {
  const tree = parseTree(html);
  const urls = createUrlResolver('https://example.org/a/', null);
  const markdown = renderMarkdown(tree, selectEverything(tree), urls);
  const loose = { allowDangerousHtml: true, allowDangerousProtocol: true };
  return {
    markdown,
    pages: [
      micromark(markdown, loose),
      micromark(markdown, { ...loose, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
    ],
  };
}

function assertSafe(html: string): void {
  const { markdown, pages } = renderTwice(html);
  for (const page of pages) {
    const tree = parseTree(page);
    for (let node = 1; node < tree.size; node++) {
      const name = tree.value[node];
      if (tree.tag[node] === 1 || FRAME.has(name)) continue;
      const allowed = ALLOWED[name];
      assert.ok(allowed !== undefined, `<${name}> in ${page}\nof ${markdown}`);
      for (const attribute of tree.attributes[node] ?? []) {
        assert.ok(allowed.includes(attribute.name), `${attribute.name} of <${name}> in ${page}\nof ${markdown}`);
        if (attribute.name === 'href' || attribute.name === 'src')
          assert.match(attribute.value, /^(?:https?:|mailto:|#|$)/, `${page}\nof ${markdown}`);
      }
    }
  }
}

for (const [name, html] of [
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
  ['the end of a line', `<p>a\\<br>${ESCAPED}</p>`],
] as const) {
  test(`rendered Markdown runs no code of the page: ${name}`, () => assertSafe(html));
}

test('rendered Markdown runs no code of any generated page', () => {
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
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 6 }).map((text) => text.replace(/[<&]/g, '')),
  );
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(''));
  const inline = fc.oneof(
    text,
    text.map((inner) => `<code>${inner}</code>`),
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
    line.map((inner) => `<pre>${inner}</pre>`),
    line.map((inner) => `<blockquote>${inner}</blockquote>`),
    fc.tuple(line, line).map(([a, b]) => `<table><tr><th>h<th>k</tr><tr><td>${a}<td>${b}</table>`),
  );
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 3 }), (blocks) =>
      assertSafe(`<article>${blocks.join('')}</article>`),
    ),
    { numRuns: 400 },
  );
});
