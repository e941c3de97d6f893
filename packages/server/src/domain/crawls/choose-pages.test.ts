import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '@winnow/extract/templates';
import { choosePages } from './choose-pages.ts';
import { cleanAddress, isTrap, keyOf, shapesOf } from './crawl-address.ts';
import type { CrawlSettings } from './crawl-ports.ts';
import { matchesGlob } from './match-glob.ts';
import { readLinks } from './read-links.ts';

const SETTINGS: CrawlSettings = {
  url: 'https://www.example.com/docs/intro.html',
  limit: 10,
  maxDepth: 3,
  include: [],
  exclude: [],
  scope: 'host',
  sitemap: 'skip',
};

const PAGE = {
  settings: SETTINGS,
  url: SETTINGS.url,
  finalUrl: SETTINGS.url,
  canonical: undefined,
  depth: 1,
  mayMove: true,
  links: [],
  listed: [],
  leftOut: 0,
  isRefused: undefined,
};

const clean = (address: string): string | undefined => cleanAddress(address)?.href;
const keyFor = (address: string): string => keyOf(new URL(address));

test('fragments, tracking and sessions are no part of an address; other parameters stay as they are', () => {
  assert.equal(clean('https://a.example/x?utm_source=n&b=%20c+d&fbclid=1#top'), 'https://a.example/x?b=%20c+d');
  assert.equal(clean('https://a.example/x?PHPSESSID=12&gclid=3'), 'https://a.example/x');
  assert.equal(clean('https://a.example/x;jsessionid=0A1B?sid=0123456789abcdef0123'), 'https://a.example/x');
  assert.equal(clean('https://a.example/x?sid=7&s=words&'), 'https://a.example/x?sid=7&s=words&');
  assert.equal(clean('https://user@a.example/'), undefined);
  assert.equal(clean('ftp://a.example/'), undefined);
});

test('addresses of one page have one key', () => {
  assert.equal(keyFor('http://a.example/x/?b=1&a=2'), keyFor('https://a.example/x?a=2&b=1'));
  assert.equal(keyFor('https://www.a.example/x'), keyFor('https://a.example/x'));
  assert.notEqual(keyFor('https://a.example/x?a=2'), keyFor('https://a.example/x?a=3'));
  assert.notEqual(keyFor('https://a.example/x'), keyFor('https://a.example/X'));
});

test('more pages may differ in numbers than in dates, which go on for ever', () => {
  const most = (address: string): number[] => shapesOf(new URL(address)).map((shape) => shape.most);
  assert.deepEqual(most('https://a.example/threads/123'), [50_000]);
  for (const date of ['2031/05', '2031-5-11', 'day-2031_12'])
    assert.deepEqual(most(`https://a.example/events/${date}`), [5000]);
  assert.deepEqual(most('https://a.example/threads/2031/99'), [50_000]);
});

test('shapes bound pages that differ in numbers, or in the values of a query', () => {
  const shapes = (address: string): string[] => shapesOf(new URL(address)).map(({ key }) => key);
  assert.deepEqual(shapes('https://a.example/2031/05/'), shapes('https://a.example/1999/12'));
  assert.deepEqual(shapes('https://a.example/posts/a-word'), []);
  const [all, names] = shapes('https://a.example/list?sort=a&page=b');
  assert.deepEqual(shapes('https://a.example/list?page=c&sort=d'), [all, names]);
  assert.deepEqual(shapes('https://a.example/list?size=b')[0], all);
  assert.ok(isTrap(new URL('https://a.example/a/b/a/b/a/b')));
  assert.ok(isTrap(new URL('https://a.example/?a&b&c&d&e&f&g&h&i')));
  assert.ok(!isTrap(new URL('https://a.example/1/1/1/1')));
});

test('globs match whole texts, in linear time', () => {
  assert.ok(matchesGlob('/blog/*', '/blog/'));
  assert.ok(matchesGlob('*/a*b', '/x/a-b-b'));
  assert.ok(matchesGlob('/exact', '/exact'));
  assert.ok(!matchesGlob('/exact', '/exactly'));
  assert.ok(!matchesGlob('/a*a', '/a'));
  assert.ok(!matchesGlob('/blog/*', '/x/blog/'));
  const hard = `/${'*a'.repeat(100)}*b`;
  const started = process.cpuUsage();
  for (let count = 0; count < 1000; count += 1) assert.ok(!matchesGlob(hard, `/${'a'.repeat(2000)}`));
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test('links are read from the whole page, relative to its base, unless it says not to follow them', () => {
  const html = `<base href="/sub/"><link rel="canonical" href="/sub/page"><a href="one">1</a> <a href="one#x">1</a>
    <area href="two"><a rel="nofollow" href="three">3</a><script>"<a href='four'>"</script><a href=" five ">5</a>`;
  const read = readLinks(parseTree(html), 'https://a.example/page?x=1');
  const links = ['one', 'two', 'five'].map((name) => `https://a.example/sub/${name}`);
  assert.deepEqual(read, { links, canonical: 'https://a.example/sub/page', leftOut: 0 });
  const closed = readLinks(parseTree(`<meta name=robots content="noindex, nofollow">${html}`), 'https://a.example/');
  assert.deepEqual(closed.links, []);
});

test('scopes are a folder, a host with or without www, or the registered domain', async () => {
  const links = [
    'https://example.com/docs/a',
    'https://example.com/docs-old',
    'https://shop.example.com/',
    'https://example.org/',
  ];
  const count = async (scope: CrawlSettings['scope']): Promise<number> =>
    (await choosePages({ ...PAGE, settings: { ...SETTINGS, scope }, links })).pages.length;
  assert.deepEqual([await count('path'), await count('host'), await count('site')], [1, 2, 3]);
});

test('a crawl moves to the host where its start page leads, but not with headers or cookies', async () => {
  const moved = { ...PAGE, depth: 0, finalUrl: 'https://example.org/', links: ['https://example.org/a'] };
  const { site, pages } = await choosePages(moved);
  assert.deepEqual([site, pages.length], ['https://example.org/', 1]);
  const kept = await choosePages({ ...moved, mayMove: false });
  assert.deepEqual([kept.site, kept.pages.length, kept.skipped.scope], [SETTINGS.url, 0, 1]);
});

test('a folder stays the scope if its start page leads into it, and moves if it leads elsewhere', async () => {
  const settings = { ...SETTINGS, url: 'https://example.com/docs', scope: 'path' } as const;
  const find = async (finalUrl: string) => (await choosePages({ ...PAGE, settings, depth: 0, finalUrl })).site;
  assert.equal(await find('https://example.com/docs/intro'), settings.url);
  assert.equal(await find('https://example.com/en/docs/'), 'https://example.com/en/docs/');
});

test('addresses in sitemaps are no trap', async () => {
  const [trap, number] = ['https://example.com/a/a/a', 'https://example.com/1'];
  const { pages } = await choosePages({ ...PAGE, links: [number], listed: [trap, number, 'https://example.com/2'] });
  assert.deepEqual(
    pages.map(({ leftOut, shapes }) => [leftOut, shapes.length]),
    [
      [undefined, 1],
      [undefined, 0],
      [undefined, 0],
    ],
  );
});

test('a canonical link tells a duplicate only for the same path', async () => {
  const keys = async (canonical: string): Promise<number> =>
    (await choosePages({ ...PAGE, url: `${SETTINGS.url}?sort=1`, finalUrl: `${SETTINGS.url}?sort=1`, canonical })).keys
      .length;
  assert.deepEqual([await keys(SETTINGS.url), await keys('https://www.example.com/')], [2, 1]);
});
