import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { extract, type ExtractOptions } from '../src/index.ts';
import { assertSound } from './assert-sound.ts';
import { HOSTILE_PAGES } from './hostile-pages.ts';

const OPTIONS: ExtractOptions = { url: 'https://example.org/page' };

for (const page of HOSTILE_PAGES) {
  test(`survives ${page.name}, at a fiftieth of its size`, () => {
    assertSound(extract(page.build(0.02), { ...OPTIONS, formats: ['markdown', 'html'] }));
  });
}

test('names of object prototypes are ordinary names', () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf']) {
    const words = 'Some words of text in this paragraph. '.repeat(10);
    const data = `{"@context":"https://schema.org","@type":"${name}","${name}":{"${name}":"x"},"@graph":[{"@type":"Article","headline":"H","${name}":"y"}]}`;
    const html = `<html lang=${name}><meta name=${name} property=${name} content=${name}><title>Title</title>
      <script type=application/ld+json>${data}</script><style>.${name}{color:${name};background:${name}}</style>
      <article><h1>Title</h1><${name} ${name}=a class=${name} role=${name} itemscope itemtype=${name} itemprop=${name} style="color:${name};display:${name}">${words}</${name}>
      <pre><code class=language-${name}>a</code></pre><math><${name}>b</${name}></math><p rel=${name} id=${name}>${words}</article>`;
    const page = extract(html, { ...OPTIONS, formats: ['markdown', 'html', 'stated'] });
    assertSound(page);
    assert.equal(page.title, 'Title');
    assert.ok(page.mainText.includes(words.trim()), name);
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  }
});

test('an empty page has no fields', () => {
  const page = extract('');
  assert.equal(page.mainText, '');
  assert.deepEqual(page.links, []);
  assert.deepEqual(
    [page.title, page.author, page.publishTime, page.language, page.description],
    [null, null, null, null, null],
  );
});

test('any text gives a valid extraction', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (html) => {
      assertSound(extract(html, { ...OPTIONS, formats: ['markdown', 'html'] }));
    }),
    { numRuns: 300 },
  );
});

// Checks: threat-expensive-page
test('any sequence of tags gives a valid extraction', () => {
  fc.assert(
    fc.property(fc.array(soupPiece(), { maxLength: 60 }), (pieces) => {
      assertSound(extract(pieces.join(''), { ...OPTIONS, formats: ['markdown', 'html'] }));
    }),
    { numRuns: 500 },
  );
});

// Checks: threat-active-content
test('clean HTML never contains active content', () => {
  fc.assert(
    fc.property(fc.array(soupPiece(), { maxLength: 60 }), (pieces) => {
      const html =
        extract(`<article><p>${'Some words of text. '.repeat(20)}</p>${pieces.join('')}`, {
          ...OPTIONS,
          formats: ['html'],
        }).html ?? '';
      assert.doesNotMatch(
        html,
        /<(?!\/?(?:a|abbr|blockquote|br|caption|cite|code|d[dlt]|del|details|dfn|em|figcaption|figure|h[1-6r]|img|ins|kbd|li|mark|ol|p|pre|q|rp|rt|ruby|samp|strong|su[bp]|summary|table|t[bdhr]|tbody|thead|tfoot|time|u|ul|var)[\s>])/,
      );
      assert.doesNotMatch(html, /<[^>]*\s(?:on\w+|style)=/);
      assert.doesNotMatch(html, /<[^>]*\s(?:href|src)="(?!https?:)/);
    }),
    { numRuns: 500 },
  );
});

const NAMES =
  'a abbr article aside b blockquote body br button caption code dd details dialog div dl dt em form frameset h1 h3 head html i iframe img input li main math meta nav noscript ol option p plaintext pre q rt ruby script section select span strong style sup svg table tbody td template textarea th time title tr ul x-card'.split(
    ' ',
  );
const ATTRIBUTES = [
  ' hidden',
  ' style="display:none"',
  ' href="javascript:x()"',
  ' href="/a"',
  ' src="x.png"',
  ' onclick="x()"',
  ' class="content"',
  ' colspan=99999',
  ' datetime="2024-13-45"',
  ' shadowrootmode=open',
  ' property="og:title" content="T"',
  ' itemprop=author',
];

function soupPiece(): fc.Arbitrary<string> {
  const name = fc.constantFrom(...NAMES);
  return fc.oneof(
    fc
      .tuple(name, fc.subarray(ATTRIBUTES, { maxLength: 3 }))
      .map(([tag, attributes]) => `<${tag}${attributes.join('')}>`),
    name.map((tag) => `</${tag}>`),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom(
      'By Ann Lee',
      '1 May 2024',
      '&nbsp;',
      '&#xD800;',
      '<!--',
      '-->',
      '\0',
      '<![CDATA[',
      '</',
      '\ud800',
      '\u200d',
      '{"@type":',
    ),
  );
}
