import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../../pipeline/extract.ts';
import { compileTemplate } from '../selectors/compile-template.ts';
import { extractWithTemplate } from './extract-with-template.ts';
import type { AppliedTemplate } from './apply-template.ts';
import type { Template } from '../format/template.ts';

const URL = 'https://news.example.com/rain';
const STORY = [
  'It has rained for weeks, and the people of the valley have begun to carry their furniture to the upper floors.',
  'The river is high, the fields are wet, and the bridge at the mill was closed on Monday by the council.',
  'Nobody expects the water to fall before the end of the month, said the keeper of the locks, who is eighty.',
];

interface Parts {
  readonly byline?: string;
  readonly day?: string;
  readonly story?: string;
  readonly noise?: string;
}

function makePage({ byline = '', day = '', story = '', noise = '' }: Parts): string {
  return `<!doctype html><html lang="en"><head><title>Rain over the hills</title></head><body>
<header><a href="/">The Daily Hill</a></header><h1>Rain over the hills</h1>${byline}${day}
<article>${story}${noise}</article><footer><p>All rights reserved.</p></footer></body></html>`;
}

const PARAGRAPHS = STORY.map((text) => `<p>${text}</p>`).join('');
const WHOLE = {
  byline: '<div class="by">By <span class="name">Ann Lee</span></div>',
  day: '<time class="day" datetime="2024-03-05">5 March 2024</time>',
  story: `<div class="story">${PARAGRAPHS}</div>`,
  noise:
    '<div class="more"><a href="/wind">Wind in the valley</a></div><div class="share"><a href="/x">Share</a></div>',
};

const TEMPLATE: Template = {
  hosts: ['news.example.com'],
  url_shapes: [],
  signature: null,
  fields: {
    title: { selectors: [{ css: 'h1' }] },
    description: { selectors: [] },
    author: { selectors: [{ css: 'span.name' }] },
    publish_time: { selectors: [{ css: 'time.day', attribute: 'datetime' }] },
    language: { selectors: [{ css: 'html', attribute: 'lang' }] },
  },
  content: {
    include: [{ css: 'article' }, { css: 'main' }],
    exclude: [{ css: 'div.more' }, { css: 'div.share' }],
    exclude_text: [],
  },
  custom: [],
  invariants: {
    required: ['main_text', 'title', 'author', 'publish_time'],
    main_text_words: [20, 500],
  },
};

function apply(parts: Parts, edit: (html: string) => string = (html) => html): AppliedTemplate & { html: string } {
  const html = edit(makePage({ ...WHOLE, ...parts }));
  return { html, ...extractWithTemplate(html, compileTemplate(TEMPLATE), { url: URL }) };
}

test('a page like the samples is extracted without the generic extractor', () => {
  const { extraction, selectors, faults, gaps } = apply({});
  assert.deepEqual([faults, gaps], [[], []]);
  assert.equal(extraction.mainText, STORY.join('\n\n'));
  assert.equal(extraction.author, 'Ann Lee');
  assert.ok(!Object.values(selectors).includes('generic'));
});

test('one missing field is left to the generic extractor; two missing fields mean another layout', () => {
  const moved = apply({ byline: '<p class="byline">By <a rel="author" href="/bo">Bo Ek</a></p>' });
  assert.deepEqual([moved.faults, moved.gaps], [[], ['author']]);
  assert.equal(moved.extraction.author, 'Bo Ek');
  assert.equal(moved.selectors['author'], 'generic');
  assert.equal(moved.extraction.publishTime, '2024-03-05');

  const missing = apply({ byline: '' });
  assert.deepEqual([missing.faults, missing.gaps, missing.extraction.author], [[], [], null]);

  const { faults } = apply({ byline: '', day: '' });
  assert.match(faults.join('; '), /required field author; no selector found the required field publish_time/);
});

test('a stated value of an optional field is used if its rule has `agrees`', () => {
  const stated = '<meta property="article:published_time" content="2024-03-07T08:00:00Z"></head>';
  const readDay = (agrees: boolean, day = ''): string | null => {
    const rule = { selectors: [{ css: 'time.day', attribute: 'datetime' }], agrees };
    const template: Template = {
      ...TEMPLATE,
      fields: { ...TEMPLATE.fields, publish_time: rule },
      invariants: { ...TEMPLATE.invariants, required: ['main_text', 'title'] },
    };
    const html = makePage({ ...WHOLE, day }).replace('</head>', stated);
    const { extraction, faults } = extractWithTemplate(html, compileTemplate(template), { url: URL });
    assert.deepEqual(faults, []);
    return extraction.publishTime;
  };
  assert.equal(readDay(true), '2024-03-07T08:00:00Z');
  assert.equal(readDay(false), null);
  const shown = '<p>Published <time datetime="2024-03-07">7 March 2024</time></p>';
  assert.equal(readDay(true, shown), '2024-03-07T08:00:00Z');
});

test('a main text outside the number of words is refused, and the first selector with content is used', () => {
  const short = '<p>The wind turns, and a warm summer is expected by the old people.</p>';
  const changed = apply({ story: short, noise: `</article><div>${PARAGRAPHS}</div><article>` });
  assert.deepEqual(changed.faults, ["the main text has 13 words; the template's pages have 20 to 500"]);
  assert.equal(changed.extraction.mainText, extract(changed.html, { url: URL }).mainText);

  const spare = apply({}, (html) => html.replaceAll('article>', 'main>'));
  assert.deepEqual(spare.faults, []);
  assert.equal(spare.selectors['main_text'], 'main');
});

test('rules whose selectors find nothing are named', () => {
  assert.deepEqual(apply({}).missed, []);
  assert.deepEqual(apply({ byline: '' }).missed, ['author']);
  assert.deepEqual(apply({}, (html) => html.replaceAll('article>', 'div>')).missed, ['main_text']);
});

test('images are the same as those of the generic extractor', () => {
  const images =
    '<img src="/a.png"><img src="/b.png" alt=""><img src="/c.png" alt="The bridge" width="640" height="480">';
  const { html, extraction, faults } = apply({ story: `<div class="story">${PARAGRAPHS}${images}</div>` });
  assert.deepEqual(faults, []);
  assert.deepEqual(extraction.images, extract(html, { url: URL }).images);
  assert.deepEqual(
    extraction.images.map(({ alt }) => alt),
    [null, '', 'The bridge'],
  );
});

test('content in a hidden element is found if a selector names it or its descendants', () => {
  const hidden = apply({}, (html) =>
    html.replace('<article>', '<div hidden><article>').replace('</article>', '</article></div>'),
  );
  assert.equal(hidden.extraction.mainText, STORY.join('\n\n'));
  const itself = apply({}, (html) => html.replace('<article>', '<article style="display: none">'));
  assert.equal(itself.extraction.mainText, STORY.join('\n\n'));
  const inside = apply({ story: `${WHOLE.story}<div hidden>A secret that nobody sees.</div>` });
  assert.doesNotMatch(inside.extraction.mainText, /secret/);
});

test('JSON-LD is read from scripts and from the meta element of some frameworks', () => {
  const template = {
    ...TEMPLATE,
    fields: { ...TEMPLATE.fields, author: { selectors: [{ json_ld: 'NewsArticle:author.name' }] } },
  };
  const data = JSON.stringify({ '@type': 'NewsArticle', author: { name: 'Cy Dahl' } });
  for (const source of [
    `<script type="application/ld+json">${data}</script>`,
    `<meta name="script:ld+json" content="${data.replaceAll('"', '&quot;')}">`,
  ]) {
    const html = makePage(WHOLE).replace('</head>', `${source}</head>`);
    assert.equal(extractWithTemplate(html, compileTemplate(template), { url: URL }).extraction.author, 'Cy Dahl');
  }
});

test('replacements that multiply each other make a page no longer than a bound', () => {
  const html = makePage(WHOLE);
  const doubling = Array.from({ length: 50 }, () => ({ find: 'a', replace: 'aa' }));
  const { extraction } = extractWithTemplate(html, compileTemplate({ ...TEMPLATE, replace: doubling }), { url: URL });
  assert.ok(extraction.mainText.length < 2 ** 22);
  const once = { ...TEMPLATE, replace: [{ find: 'It has rained', replace: 'It has snowed' }] };
  const snowed = extractWithTemplate(html, compileTemplate(once), { url: URL });
  assert.ok(snowed.extraction.mainText.startsWith('It has snowed for weeks'));
});
