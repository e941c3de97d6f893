import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract, type ExtractOptions } from '../src/index.ts';
import { renderFormats } from '../src/render/render-formats.ts';
import { renderText } from '../src/render/text/render-text.ts';
import { parseTree } from '../src/tree/parse/parse-tree.ts';
import { createUrlResolver } from '../src/tree/url-resolver.ts';
import { selectEverything } from './select-everything.ts';

const ARTICLE = `<article><p>${'Some words of text here. '.repeat(20)}</p>`;
const SMALL = 10_000;
/** Linear work takes 8 times as long, quadratic work 64 times. */
const FACTOR = 8;
const ALLOWED_FACTOR = 24;
/** Of compilation and garbage collection, in microseconds. */
const NOISE = 150_000;

const OUTPUTS: Readonly<Record<string, ExtractOptions>> = {
  'every format': { formats: ['markdown', 'html'] },
  'references and small chunks': {
    formats: ['markdown'],
    markdown: { links: 'references', images: 'alt', title: true },
    chunks: { maxCharacters: 500 },
  },
  'large chunks': {
    formats: ['markdown'],
    markdown: { links: 'text', images: 'none' },
    chunks: { maxCharacters: 200_000 },
  },
};

const ATOMS = [
  'http://a.example/b ',
  'a@b.cd ',
  'www.a.b ',
  '&lt;',
  '&amp;',
  '`',
  '[',
  '](',
  '{',
  '*',
  '<br>',
  '<li>a',
  '<ul><li>a',
  '<a href=/y>l</a> ',
  '<b>a</b>',
  '<code>`</code> ',
  '<pre>a</pre>',
  '<h2>a</h2>',
  '<td colspan=50 rowspan=50>a',
  '<tr><td>a',
  '<math><mi>a</mi></math>',
  '<blockquote>a',
];

/** Ends of these are searched for. */
const UNCLOSED = [
  '<',
  '</',
  '<!--',
  '<!-- -',
  '<!---->',
  '<svg>',
  '<svg><path>',
  '<svg><p>',
  '<script>',
  '<style></',
  '<noscript>',
  '<iframe/>',
  '<a b="',
];
/** Comments that end before the page's last end of a comment. */
const COMMENTS = ['<!--!>', '<!-- --!>', '<svg><!-- --!>', '<svg><!-- --!><p>'];
const LONG = 100_000;

function renderEverything(html: string, options: ExtractOptions): void {
  const tree = parseTree(html);
  const blocks = selectEverything(tree);
  renderText(tree, blocks);
  renderFormats(tree, blocks, options, createUrlResolver('https://example.org/', null), 'Title');
}

/** Whether the work on eight times the text takes about eight times as long, in one of three tries. */
function isLinear(atom: string, work: (html: string) => void, length: number = SMALL): boolean {
  const measure = (characters: number): number => {
    const html = ARTICLE + atom.repeat(characters / atom.length);
    const start = process.threadCpuUsage();
    work(html);
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  };
  return [1, 2, 3].some(() => {
    const small = measure(length);
    return measure(length * FACTOR) <= NOISE + ALLOWED_FACTOR * small;
  });
}

for (const atom of ATOMS) {
  // Without formats: the model may select a repetition at one length and not at the other.
  test(`an extraction takes linear time on repetitions of ${atom}`, () => {
    assert.ok(isLinear(atom, (html) => extract(html, { url: 'https://example.org/', formats: ['stated'] })));
  });
  for (const [name, options] of Object.entries(OUTPUTS))
    test(`rendering with ${name} takes linear time on repetitions of ${atom}`, () => {
      assert.ok(isLinear(atom, (html) => renderEverything(html, options)));
    });
}

for (const part of UNCLOSED)
  test(`a parse takes linear time on repetitions of ${part}`, () => {
    assert.ok(isLinear(part, parseTree, LONG));
  });

for (const part of COMMENTS)
  test(`a parse takes linear time on repetitions of ${part} before the end of a comment`, () => {
    assert.ok(isLinear(part, (html) => parseTree(`${html}-->`), LONG));
  });
