import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { extract } from '../src/index.ts';

const PROSE = 'The sea comes in twice a day, and twice a day it goes out again. '.repeat(8).trim();
const PAGE = `<!doctype html><html lang="en"><head><title>Tides</title><base href="/news/"></head><body>
  <nav><a href="/">Home</a></nav>
  <article><h1>Tides</h1><p>${PROSE} See <a href="table.html" rel="nofollow">the table</a>.</p>
  <img src="moon.jpg" alt="The moon" width="640" height="480"><p>${PROSE}</p></article>
  <footer><a href="https://other.example/">Imprint</a> <img src="/logo.png" alt="Logo"></footer></body></html>`;
const URL = 'https://example.org/a/b';

test('links and images are absolute and say whether they are in the main content', () => {
  const page = extract(PAGE, { url: URL });
  assert.deepEqual(page.links, [
    { url: 'https://example.org/', text: 'Home', rel: null, internal: true, in_main: false },
    { url: 'https://example.org/news/table.html', text: 'the table', rel: 'nofollow', internal: true, in_main: true },
    { url: 'https://other.example/', text: 'Imprint', rel: null, internal: false, in_main: false },
  ]);
  assert.deepEqual(
    page.images.map((image) => [image.url, image.in_main]),
    [
      ['https://example.org/news/moon.jpg', true],
      ['https://example.org/logo.png', false],
    ],
  );
});

test('a link that only contains an image of the main content is in the main content', () => {
  const gallery = '<a href="/moon-large.jpg"><img src="moon.jpg" alt="The moon"></a>';
  const card = '<a href="/card"><img src="card.jpg" alt=""><span>Buy</span></a>';
  const page = extract(PAGE.replace(/<img src="moon[^>]*>/, gallery).replace('</a> <img', `</a> ${card}<img`), {
    url: URL,
  });
  assert.deepEqual(
    page.links.filter(({ url }) => /moon|card/.test(url)).map(({ url, in_main }) => [url, in_main]),
    [
      ['https://example.org/moon-large.jpg', true],
      ['https://example.org/card', false],
    ],
  );
});

test('the renderings have the same content as the text', () => {
  const page = extract(PAGE, { url: URL, formats: ['markdown', 'html'] });
  const image = 'https://example.org/news/moon.jpg';
  assertEnd(page.mainText, `${PROSE} See the table.\n\n${PROSE}`);
  assertEnd(
    page.markdown,
    `${PROSE} See [the table](https://example.org/news/table.html).\n\n![The moon](${image})\n\n${PROSE}`,
  );
  assertEnd(
    page.html,
    `<p>${PROSE} See <a href="https://example.org/news/table.html">the table</a>.</p><p><img src="${image}" alt="The moon" width="640" height="480"></p><p>${PROSE}</p>`,
  );
});

test('symbols are in all renderings together with the text around them', () => {
  const row = '<tr><td>Tables of the whole year</td><td>✗</td><td>Sold at the harbour office</td></tr>';
  const html = `<table><tr><th>What there is</th><th>Free</th><th>Where to get it</th></tr>${row}</table>
    <pre><code><div>const tides = [</div><div>  12,</div><div>];</div></code></pre><p>${PROSE}</p>`;
  const page = extract(PAGE.replace('<img', `${html}<img`), { url: URL, formats: ['markdown', 'html'] });
  assert.ok(page.mainText.includes('year\t✗\tSold at the harbour office\n\nconst tides = [\n  12,\n];'), page.mainText);
  assert.ok(page.markdown?.includes('| ✗ | Sold at the harbour office |\n\n```\nconst tides = [\n  12,\n];\n```'));
  assert.ok(page.html?.includes('<td>✗</td>') && page.html.includes('<code>const tides = [\n  12,\n];</code>'));
});

test('renderings are only made on request', () => {
  const page = extract(PAGE, { formats: ['markdown'] });
  assert.equal(typeof page.markdown, 'string');
  assert.ok(!('html' in page));
  assert.ok(!('markdown' in extract(PAGE)));
});

test('a page above the node limit gives only its fields', () => {
  const page = extract(PAGE, { url: URL, maxNodes: 10 });
  assert.equal(page.mainText, '');
  assert.equal(page.confidence, 0);
  assert.equal(page.title, 'Tides');
});

/** Accepts the text with and without its heading: the model decides about it. */
function assertEnd(text: string | undefined, end: string): void {
  assert.equal(text?.slice(-end.length), end);
}

test('a retained result does not retain the page', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const kept = [];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 10; i++)
    kept.push(extract(PAGE.replace('<body', `<body data-x="${`${i}`.repeat(500_000)}"`), { url: URL }));
  collectGarbage();
  const added = process.memoryUsage().heapUsed - before;
  assert.equal(kept.at(-1)?.links.length, 3);
  assert.ok(added < 2_000_000, `ten results of pages of half a megabyte keep ${added} bytes`);
});

const SHORT_PAGE = [
  '<p>The command line reads a file with one page on each line, and writes one result on each line of another file.</p>',
  '<p>When it is run again with the same output, it goes on where it was stopped, and skips the pages that are done.</p>',
].join('');

for (const wrap of ['body', 'article', 'main', 'div']) {
  for (const code of [
    'npm install\nnpm start',
    '<code>npm install\nnpm start</code>',
    '<code class="language-sh">npm start</code>',
  ]) {
    test(`a short page in <${wrap}> keeps its trailing code: ${code}`, () => {
      const content = `<h1>How to run a batch</h1>${SHORT_PAGE}<pre>${code}</pre>`;
      const { mainText } = extract(
        `<!doctype html><title>How to run a batch</title>${wrap === 'body' ? content : `<body><${wrap}>${content}</${wrap}>`}`,
        { url: 'https://example.org/batch' },
      );
      assert.match(mainText, /skips the pages that are done\.\n\n(?:npm install\n)?npm start$/);
    });
  }
}

test('a page too small to be sure of its type keeps its day', () => {
  const text =
    '<p>The ferry had to turn back twice on Monday, because the wind blew from the north and the quay was full of nets.</p>';
  const list = ['News', 'Sport', 'Arts', 'Food'].map((name) => `<li><a href="/${name}">${name}</a></li>`).join('');
  const { publishTime } = extract(
    `<!doctype html><html lang="en"><title>Ferry | Quay News</title><body><header><nav><ul>${list}</ul></nav></header><main><div class="block"><h1>Ferry</h1><div class="meta">Published 3 May 2024 · Updated 9 June 2025</div><div>${text.repeat(2)}</div></div></main><footer><ul>${list}</ul></footer></body></html>`,
    { url: 'https://quay.example/ferry' },
  );
  assert.equal(publishTime, '2024-05-03');
});
