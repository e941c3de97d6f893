import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../../pipeline/extract.ts';
import type { MarkdownOptions } from '../../types/extraction.ts';

const WORDS = 'The harbour town keeps its old market, and the fishermen sell there every morning until noon. ';
const PAGE = `<!doctype html><html><head><title>The market</title></head><body><article><h1>The market</h1>
<p>${WORDS.repeat(3)}<a href="/boats">The boats</a> land at six, says <a href="https://example.org/log">the log</a>, and
<a href="/boats">the boats</a> leave at ten.</p>
<figure><img src="/quay.jpg" alt="The quay in the morning" width="800" height="600"></figure>
<p><a href="/large"><img src="/net.jpg" alt="" width="800" height="600"></a></p>
<table><tr><th>Fish</th><th>Seen</th></tr><tr><td>Cod</td><td><img src="/cod.jpg" alt="A cod" width="300" height="200"></td></tr><tr><td>Eel</td><td>No</td></tr></table>
<p>${WORDS.repeat(3)}</p></article></body></html>`;

function render(markdown: MarkdownOptions): string {
  const { markdown: text } = extract(PAGE, { url: 'https://example.com/market', formats: ['markdown'], markdown });
  assert.ok(text);
  return text;
}

test('by default links and images keep their addresses, and no title is added', () => {
  const text = render({});
  assert.match(text, /\[The boats\]\(https:\/\/example\.com\/boats\) land/);
  assert.match(text, /!\[The quay in the morning\]\(https:\/\/example\.com\/quay\.jpg\)/);
  assert.doesNotMatch(text, /^# The market/);
  assert.equal(render({ links: 'keep', images: 'keep', title: false }), text);
});

test('links as text lose their addresses but keep their words', () => {
  const text = render({ links: 'text' });
  assert.match(text, /The boats land at six, says the log, and\s+the boats leave/);
  assert.doesNotMatch(text, /example\.com\/boats|example\.org/);
  assert.match(text, /quay\.jpg/);
});

test('links as references are numbered at the end, each address once', () => {
  const text = render({ links: 'references', images: 'none' });
  assert.match(text, /\[The boats\]\[1\] land at six, says \[the log\]\[2\], and\s+\[the boats\]\[1\] leave/);
  assert.match(text, /\n\n\[1\]: https:\/\/example\.com\/boats\n\[2\]: https:\/\/example\.org\/log$/);
});

test('images become their alternative text or nothing; empty links are removed, table cells stay', () => {
  const alt = render({ images: 'alt' });
  assert.match(alt, /\n\nThe quay in the morning\n\n/);
  assert.match(alt, /\| Cod +\| A cod/);
  assert.doesNotMatch(alt, /!\[|\.jpg|\[\]\(/);
  const none = render({ images: 'none' });
  assert.doesNotMatch(none, /!\[|\.jpg|\[\]\(|The quay in the morning|A cod|\n\n\n/);
  assert.match(none, /\| Cod \| +\|/);
});

test('the title comes first as a heading, once', () => {
  const text = render({ title: true });
  assert.match(text, /^# The market\n\nThe harbour/);
  assert.equal(text.match(/# The market/g)?.length, 1);
});

test('Markdown and HTML in a title are escaped', () => {
  const html = `<!doctype html><title>A [b](c) &lt;i&gt; *d*</title><article><p>${WORDS.repeat(5)}</p></article>`;
  const { markdown = '' } = extract(html, { formats: ['markdown'], markdown: { title: true } });
  assert.match(markdown, /^# A \\\[b]\\\(c\) &lt;i> \\\*d\\\*\n/);
});
