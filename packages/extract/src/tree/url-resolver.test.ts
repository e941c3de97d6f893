import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, constantFrom, property } from 'fast-check';
import { createUrlResolver } from './url-resolver.ts';

const PAGE = 'https://www.example.com/shop/page.html?x=1#top';

function expected(href: string, base: string): string | null {
  const url = URL.parse(href, base);
  return url !== null && /^https?:$/.test(url.protocol) && href.trim() !== '' ? url.href : null;
}

const HREFS = [
  'https://other.test/a/b?c=d#e', 'HTTPS://Other.TEST/A', 'http://other.test', 'http://other.test:80/x', '//cdn.test/a.png',
  '/root/path?q=1', '/a/../b', '/a/./b', '/a/%2e%2e/b', 'next.html', './next.html', '../up.html', '?page=2', '#part', 'a:b',
  'mailto:a@b.test', 'javascript:void(0)', 'tel:+1', 'data:text/plain,x', 'ftp://x.test/', ' /spaced ', '/ü?ä=ö', "/it's?a='b'",
  'http://[::1]/', 'http://1.2.3/', 'https://xn--bcher-kva.test/', 'https://bücher.test/', '/a b', 'http:/odd', 'https:odd', '\\back',
  '/a\nb', 'a//b', '//', 'http://', '/\ud800',
]; // prettier-ignore

for (const href of HREFS) {
  test(`resolves ${JSON.stringify(href)} as the URL parser does`, () => {
    assert.equal(createUrlResolver(PAGE, null).resolve(href), expected(href, PAGE));
  });
}

test('resolves any text as the URL parser does', () => {
  const piece = constantFrom(
    'http://',
    'https://',
    '/',
    '//',
    '.',
    '..',
    'a',
    'B',
    'ü',
    '%2e',
    '%41',
    '?',
    '#',
    ':',
    '80',
    '@',
    ' ',
    "'",
    '"',
    '<',
    '\\',
    '|',
    '^',
    'xn--',
    '.test',
    '-',
    '_',
    '[',
    ']',
    '\t',
  );
  const bases = ['https://www.example.com/shop/page.html', 'http://example.com:8080/', 'https://example.com/a/b/'];
  check(
    property(array(piece, { maxLength: 8 }), constantFrom(...bases), (pieces, base) => {
      const href = pieces.join('');
      const url = URL.parse(href, base);
      if (url !== null && (url.username !== '' || url.password !== '')) return;
      assert.equal(createUrlResolver(base, null).resolve(href), expected(href, base));
    }),
    { numRuns: 3_000 },
  );
});

test('applies an absolute or relative base', () => {
  assert.equal(createUrlResolver(PAGE, 'https://cdn.test/lib/').resolve('a.js'), 'https://cdn.test/lib/a.js');
  assert.equal(createUrlResolver(PAGE, '/deep/er/').resolve('a.js'), 'https://www.example.com/deep/er/a.js');
  assert.equal(createUrlResolver(PAGE, 'javascript:alert(1)').resolve('a.js'), 'https://www.example.com/shop/a.js');
});

test('drops relative addresses without a base', () => {
  const urls = createUrlResolver(undefined, null);
  assert.equal(urls.resolve('/a'), null);
  assert.equal(urls.resolve('https://other.test/a'), 'https://other.test/a');
});

test('removes credentials from addresses', () => {
  assert.equal(createUrlResolver(PAGE, null).resolve('https://me:secret@other.test/a'), 'https://other.test/a');
});

test('counts subdomains and parent domains of the page as internal', () => {
  const urls = createUrlResolver('https://blog.example.com/x', null);
  assert.equal(urls.isInternal('https://example.com/'), true);
  assert.equal(urls.isInternal('https://www.blog.example.com/'), true);
  assert.equal(urls.isInternal('https://blog.example.com:8443/'), true);
  assert.equal(urls.isInternal('https://badexample.com/'), false);
  assert.equal(urls.isInternal('https://other.test/'), false);
});
