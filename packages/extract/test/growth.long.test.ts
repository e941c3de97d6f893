import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract, type ExtractOptions } from '../src/index.ts';

const ARTICLE = `<article><p>${'Some words of text here. '.repeat(20)}</p>`;
const SMALL = 10_000;
/** Linear work takes 8 times as long, quadratic work 64 times. */
const FACTOR = 8;
const ALLOWED_FACTOR = 24;
/** Of compilation and garbage collection, in microseconds. */
const NOISE = 150_000;

const OUTPUTS: Readonly<Record<string, ExtractOptions>> = {
  'every format': { formats: ['markdown', 'html', 'stated'] },
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

for (const [name, options] of Object.entries(OUTPUTS))
  for (const atom of ATOMS)
    test(`an extraction with ${name} takes linear time on repetitions of ${atom}`, () => {
      const measure = (length: number): number => {
        const html = ARTICLE + atom.repeat(length / atom.length);
        const start = process.threadCpuUsage();
        extract(html, { url: 'https://example.org/', ...options });
        const { user, system } = process.threadCpuUsage(start);
        return user + system;
      };
      const isLinear = (): boolean => {
        const small = measure(SMALL);
        return measure(SMALL * FACTOR) <= NOISE + ALLOWED_FACTOR * small;
      };
      assert.ok(isLinear() || isLinear() || isLinear());
    });
