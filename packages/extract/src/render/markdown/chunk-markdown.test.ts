import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { extract } from '../../pipeline/extract.ts';
import type { Chunk, ExtractOptions } from '../../types/extraction.ts';
import { splitText } from './split-text.ts';

const WORDS = 'The harbour town keeps its old market, and the fishermen sell there every morning until noon. ';
const PAGE = `<!doctype html><title>The market</title><article><h1>The market</h1><p>Start. ${WORDS.repeat(4)}</p>
<h2>Hours</h2><h3>Summer</h3><p>Six. ${WORDS.repeat(3)}</p><h3>Winter</h3><p>Seven. ${WORDS.repeat(3)}</p>
<h2>Fish</h2><ul>${Array.from({ length: 30 }, (_, index) => `<li>Fish number ${index} is sold by weight at the quay.</li>`).join('')}</ul>
<ol>${Array.from({ length: 12 }, (_, index) => `<li>Step ${index} of the sale takes the whole morning at the market.</li>`).join('')}</ol>
<h2>Code</h2><pre><code class="language-js">${Array.from({ length: 40 }, (_, index) => `const price${index} = ${index};`).join('\n')}</code></pre>
<p>${'x'.repeat(900)}</p><p>End. ${WORDS.repeat(20)}</p></article>`;

function chunk(maxCharacters: number, more: ExtractOptions = {}): { chunks: Chunk[]; markdown: string } {
  const { chunks, markdown } = extract(PAGE, { formats: ['markdown'], chunks: { maxCharacters }, ...more });
  assert.ok(chunks && markdown !== undefined);
  return { chunks, markdown };
}

/** Words only: divided blocks repeat fences, bullets and numbers. */
const listWords = (text: string): string[] => text.match(/\p{L}[\p{L}\p{N}]*/gu)?.filter((word) => word !== 'js') ?? [];

for (const limit of [200, 500, 4_000, 100_000]) {
  test(`chunks of at most ${limit} characters give the whole text in order, without repeats`, () => {
    const { chunks, markdown } = chunk(limit);
    for (const { text } of chunks) assert.ok(text.length <= limit, `${text.length} characters`);
    const joined = chunks.map(({ text }) => text).join('\n\n');
    // A word longer than the limit is cut.
    const strip = (text: string): string => listWords(text).join('');
    assert.equal(strip(joined), strip(markdown));
  });
}

test('each chunk names the headings above it', () => {
  const { chunks } = chunk(4_000);
  assert.deepEqual(
    chunks.map(({ heading_path: path }) => path),
    [[], ['Hours', 'Summer'], ['Hours', 'Winter'], ['Fish'], ['Code']],
  );
  assert.match(chunks[1].text, /^## Hours\n\n### Summer\n\nSix\./);
});

test('the title is the highest heading if requested', () => {
  const { chunks } = chunk(100_000, { markdown: { title: true } });
  assert.deepEqual(chunks.at(-1)?.heading_path, ['The market', 'Code']);
});

test('a list is divided between its items, and its numbers continue', () => {
  const { chunks } = chunk(300);
  const lists = chunks.filter(({ text }) => /^\d+\. /.test(text));
  assert.ok(lists.length > 2);
  const numbers = lists.flatMap(({ text }) => [...text.matchAll(/^(\d+)\. Step (\d+)/gm)]);
  assert.equal(numbers.length, 12);
  for (const [, number, step] of numbers) assert.equal(Number(number), Number(step) + 1);
});

test('code is divided between its lines and stays code', () => {
  const parts = chunk(300).chunks.filter(({ text }) => text.includes('const price'));
  assert.ok(parts.length > 2);
  for (const { text } of parts.slice(1, -1)) assert.match(text, /^```js\nconst [\s\S]*;\n```$/);
});

test('with reference links, each chunk ends with the addresses of its own links', () => {
  const link = (name: string): string => `<p><a href="/${name}">${name}</a> ${WORDS.repeat(3)}</p>`;
  const html = `<title>T</title><article><h2>A</h2>${link('one')}<h2>B</h2>${link('two')}${link('one')}</article>`;
  const { chunks = [] } = extract(html, {
    url: 'https://example.com/',
    chunks: { maxCharacters: 2_000 },
    markdown: { links: 'references' },
  });
  assert.equal(chunks.length, 2);
  assert.match(chunks[0].text, /\[1\]: https:\/\/example\.com\/one$/);
  assert.match(chunks[1].text, /\[2\]: https:\/\/example\.com\/two\n\[1\]: https:\/\/example\.com\/one$/);
});

test('chunks can be requested without the Markdown', () => {
  const extraction = extract(PAGE, { chunks: { maxCharacters: 4_000 } });
  assert.equal('markdown' in extraction, false);
  assert.equal(extraction.chunks?.length, 5);
  assert.equal('chunks' in extract(PAGE), false);
});

test('any text is cut into pieces within the limit, and only white space changes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 2, max: 50 }), (text, limit) => {
      const pieces = splitText(text, limit);
      for (const piece of pieces) assert.ok(piece.length <= limit && piece.isWellFormed());
      assert.equal(pieces.join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
    }),
  );
});
