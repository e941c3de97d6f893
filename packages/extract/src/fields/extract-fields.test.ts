import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPageFields } from './read-fields.test-helper.ts';

test('description: decoded, without tags, never from the text', () => {
  assert.equal(
    readPageFields('<meta name="description" content=" Growing &amp;amp; eating &lt;b&gt;tomatoes&lt;/b&gt;. ">')
      .description,
    'Growing & eating tomatoes .',
  );
  assert.equal(readPageFields('<meta property="og:description" content="Preview">').description, 'Preview');
  assert.equal(readPageFields('<meta name="description" content=" - "><p>Text of the page.</p>').description, null);
});

/** Pages made to break an extractor: none may throw, or take more than linear time. */
const HOSTILE: Readonly<Record<string, string>> = {
  'an empty page': '',
  'nested bylines': '<div class="author date">'.repeat(20_000),
  'many links': Array.from({ length: 20_000 }, (_, i) => `<a href="../b/${i}?q=é">l</a>`).join(''),
  'links in objects': '<a href=x><object>'.repeat(5_000),
  'a very long run of dates': `<time datetime="${'9'.repeat(300)}">1.1.1.1.1 2024</time><span class="date">By ${'1:'.repeat(60)}</span>`.repeat(2_000),
  'half surrogates': '<title>a\ud800b</title><a href="\ud800">x\udc00</a><h1>\ud800</h1><meta name=author content="\udc00 \ud800">',
  NULs: '\0'.repeat(10_000) + '<title>\0</title><h1>\0</h1>',
  'a title made of bars': `<title>${'a | '.repeat(20_000)}</title><h1>${'a | '.repeat(20_000)}</h1>`,
  'nested microdata': '<div itemscope itemprop="author">'.repeat(5_000),
  'many articles': Array.from({ length: 500 }, (_, i) => `<script type="application/ld+json">{"@type":"Article","headline":"x ${i}","author":"A B${i}"}</script>`).join(''),
  'a set of many images': `<img srcset="${'a 1w, '.repeat(5_000)}">`,
  'a language tag of 100 kB': `<html lang="${'a-'.repeat(50_000)}">`,
}; // prettier-ignore

for (const [name, html] of Object.entries(HOSTILE)) {
  test(`survives ${name}`, () => {
    const fields = readPageFields(html);
    assert.ok(JSON.stringify(fields).isWellFormed());
  });
}

test('names the sources of every field', () => {
  const { evidence } = readPageFields('<html lang="en"><title>A page</title><meta name="author" content="Jane Doe"><meta name="description" content="About it"><meta property="article:published_time" content="2024-05-03">'); // prettier-ignore
  assert.equal(evidence.title.source, 'title');
  assert.equal(evidence.author.source, 'meta:author');
  assert.equal(evidence.description.source, 'meta:description');
  assert.equal(evidence.publishTime.source, 'meta:article:published_time');
  assert.equal(evidence.language.source, 'html[lang]');
});

test('a shortened title does not end in half a surrogate pair', () => {
  const { title } = readPageFields(`<meta property="og:title" content="${'a'.repeat(499)}\u{1f600}b"><p>Text.`);
  assert.equal(title, 'a'.repeat(499));
});

test('no shortened field ends in half a surrogate pair', () => {
  const long = `${'a'.repeat(4_999)}\u{1f600}`;
  const alt = `${'a'.repeat(1_999)}\u{1f600}`;
  const day = `${'a'.repeat(59)}\u{1f600}`;
  const fields = readPageFields(
    `<title>A page</title><meta name="description" content="${long}"><meta name="date" content="${day}"><img src="/a.png" alt="${alt}">`,
  );
  assert.equal(fields.description, 'a'.repeat(4_999));
  assert.equal(fields.images[0]?.alt, 'a'.repeat(1_999));
  assert.ok(JSON.stringify(fields.evidence).isWellFormed() && !/\\ud83d/.test(JSON.stringify(fields.evidence)));
});
