import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageType } from '../../types/extraction.ts';
import { readPageFields } from '../read-fields.test-helper.ts';

const PAGE = (head: string, shown = '', lang = 'en'): string =>
  `<html lang="${lang}"><head><title>A page of the tests</title>${head}</head><body><article><h1>A page of the tests</h1>${shown}<p>Some text of the article.</p></article>`;
const LD = (properties: string): string =>
  PAGE(
    `<script type="application/ld+json">{"@type":"BlogPosting","headline":"A page of the tests",${properties}}</script>`,
  );

/** Case, page, expected time. */
const TIMES: readonly (readonly [string, string, string | null])[] = [
  ['JSON-LD with zone', LD('"datePublished":"2024-05-03T10:20:30+02:00"'), '2024-05-03T10:20:30+02:00'],
  ['JSON-LD without zone', LD('"datePublished":"2024-05-03T10:20"'), '2024-05-03T10:20:00'],
  ['JSON-LD with a date only', LD('"datePublished":"2024-05-03"'), '2024-05-03'],
  ['publication and modification times', LD('"dateModified":"2025-01-01","datePublished":"2024-05-03"'), '2024-05-03'],
  ['a modification time alone', LD('"dateModified":"2025-01-01"'), null],
  ['the upload of a video that is the page', PAGE('<script type="application/ld+json">{"@type":"VideoObject","name":"A page of the tests","uploadDate":"2024-05-03"}</script>'), '2024-05-03'],
  ['the full day of a relative one inside a line', PAGE('', '<div class="post-meta">12 views · <i title="3 May 2024, 10:20">7 months ago</i></div>'), '2024-05-03T10:20:00'],
  ['hAtom', PAGE('', '<abbr class="published" title="2024-05-03T10:30:00+01:00">May 3</abbr>'), '2024-05-03T10:30:00+01:00'],
  ['a German label', PAGE('', '<p>Erschienen am 3. Mai 2024</p>', 'de'), '2024-05-03'],
  ['a day above the title before days in cards of other pages', `<html lang=en><title>A page of the tests</title><main><div><p>May 3, 2024</p><h1>A page of the tests</h1></div><p>Some text of the article.</p><div class=more><a href="/x"><h3>Other</h3><p><time datetime="2023-01-02">Jan 2</time></p></a></div></main>`, '2024-05-03'],
  ['the day of an embedded post below the stated one', PAGE('<meta property="article:published_time" content="2024-05-03T10:20:30Z">', '<blockquote>Paint. <a href="https://posts.example.org/1">April 1, 2024</a></blockquote>'), '2024-05-03T10:20:30Z'],
  ['the day of an embedded post without a link', PAGE('', '<p class="meta">3 May 2024</p><blockquote class="instagram-media"><p>Paint.</p><time datetime="2021-04-01T10:00:00Z">Apr 1</time></blockquote>'), '2024-05-03'],
  ['a day in a sentence', PAGE('', '<p>The fair opens on 3 May 2024 in the hall.</p>'), null],
  ['a sentence that dates the page', PAGE('', '<p>This text was published on 3 May 2024.</p>'), '2024-05-03'],
  ['a day linked to an archive of the site', PAGE('', '<p><a href="/2024/05/03/">May 3, 2024</a></p>'), '2024-05-03'],
  ['the head of a message', `<html lang=en><title>Depth of the gauge</title><h1>Depth of the gauge</h1><b>Ann Lee</b> <a href="mailto:x">ann at tides.example</a><br><i>Fri May  3 10:11:12 CEST 2024</i><pre>I would double it.</pre>`, '2024-05-03T10:11:12+02:00'],
  ['OpenGraph', PAGE('<meta property="article:published_time" content="2024-05-03T10:20:30Z"><meta property="article:modified_time" content="2025-01-01T00:00:00Z">'), '2024-05-03T10:20:30Z'],
  ['Dublin Core', PAGE('<meta name="DC.date.issued" content="2024-05-03">'), '2024-05-03'],
  ['a misspelt meta name', PAGE('<meta name="w-published-date" content="2024-05-03">'), '2024-05-03'],
  ['a time element', PAGE('', '<time datetime="2024-05-03">last Friday</time>'), '2024-05-03'],
  ['a title attribute more precise than the text', PAGE('', '<abbr itemprop="datePublished" title="2024-05-03T10:30:00-07:00">10:30 AM</abbr>'), '2024-05-03T10:30:00-07:00'],
  ['a title attribute that is not a date', PAGE('', '<span itemprop="datePublished" title="permanent link">May 3, 2024</span>'), '2024-05-03'],
  ['the more precise of two', PAGE('<meta name="date" content="2024-05-03">', '<time datetime="2024-05-03T10:20:00Z">May 3</time>'), '2024-05-03T10:20:00Z'],
  ['a line of text', PAGE('', '<p class="meta">Published on May 3, 2024 by Jane</p>'), '2024-05-03'],
  ['a visible update alone', PAGE('', '<p class="updated">Last updated: May 3, 2024</p>'), null],
  ['publication and update in one line', PAGE('', '<p class="date">Published May 3, 2024 | Updated May 4, 2024</p>'), '2024-05-03'],
  ['update and publication in one line', PAGE('', '<p class="date">Updated May 4, 2024 | Published May 3, 2024</p>'), '2024-05-03'],
  ['an unlabelled day before an update', PAGE('', '<p class="date">May 3, 2024 (updated May 4, 2024)</p>'), '2024-05-03'],
  ['an update in a byline', PAGE('', '<p>By Jane Doe - May 3, 2024, updated May 4, 2024</p>'), '2024-05-03'],
  ['a time before the day', PAGE('', '<p class="date">Published 5:00 PM EST, May 3, 2024 | Updated 6:00 PM EST, May 4, 2024</p>'), '2024-05-03T17:00:00-05:00'],
  ['an update in a time element', PAGE('', '<p>Published May 3, 2024 | Updated <time datetime="2024-05-04">May 4, 2024</time></p>'), '2024-05-03'],
  ['labels after their dates', PAGE('', '<p class="date">2024年5月3日公開 2024年5月4日更新</p>', 'ja'), '2024-05-03'],
  ['an update label after its date', PAGE('', '<p class="date">2024年5月4日 更新</p>', 'ja'), null],
  ['an update label after its written-out date', PAGE('', '<p class="date">May 4, 2024 (last updated by Jane)</p>'), null],
  ['an update beside a publication label without a date', PAGE('', '<p class="date">Published by Acme, updated May 4, 2024</p>'), null],
  ['a publication by year alone', PAGE('', '<p class="date">Updated May 4, 2024. First published in 2019</p>'), null],
  ['an update as a time element', PAGE('<meta name="date" content="2024-01-02">', '<time datetime="2024-05-03">Last updated: May 3, 2024</time>'), '2024-01-02'],
  ['a day under the title before the stated one', LD('"datePublished":"2024-08-07"').replace('</h1>', '</h1><span>Dec 30, 2013</span>'), '2013-12-30'],
  ['a day under the title after the stated one', LD('"datePublished":"2013-12-30"').replace('</h1>', '</h1><span>Aug 7, 2024</span>'), '2013-12-30'],
  ['a date in a line with other words', LD('"datePublished":"2024-08-07"').replace('</h1>', '</h1><span>June 17, 2013 by Acme Books</span>'), '2024-08-07'],
  ['a day under the title in the other order', LD('"datePublished":"2024-10-03"').replace('</h1>', '</h1><span>03/10/2024</span>'), '2024-10-03'],
  ['a shown day in the order of another statement', PAGE('<meta name="date" content="2024-10-03">', '<p class="date">Published 03/10/2024, 10:20</p>'), '2024-10-03T10:20:00'],
  ['an instant in two zones falls on the day that the page shows', PAGE('<meta property="article:published_time" content="2024-05-04T01:30:00+00:00">', '<time datetime="2024-05-03T20:30:00-05:00">May 3, 2024</time>'), '2024-05-03T20:30:00-05:00'],
  ["a custom element for times", PAGE('', '<p>opened this on <relative-time datetime="2024-05-03T10:20:30Z">May 3, 2024</relative-time></p>'), '2024-05-03T10:20:30Z'],
  ['an edit of the text', PAGE('', '<p>Some <ins datetime="2024-05-03T10:20:30Z">new</ins> text.</p>'), null],
  ['an attribute of the post', PAGE('', '<x-post created-timestamp="2024-05-03T10:20:30Z">3 days ago</x-post>'), '2024-05-03T10:20:30Z'],
  ['the day on which a member joined', PAGE('', '<p class="date">Anmeldedatum: 03.05.2024</p>', 'de'), null],
  ['the day of an event', PAGE('<script type="application/ld+json">{"@type":"MusicEvent","name":"A page of the tests","startDate":"2024-05-03T20:00"}</script>', '<time datetime="2024-05-03">May 3, 2024</time>'), null],
  ['the day of an event stated in the head', PAGE('<meta property="event:start_time" content="2024-05-03T20:00:00">', '<p class="date">May 3, 2024</p>'), null],
  ['an event on the day of publication', PAGE('<meta property="article:published_time" content="2024-05-03"><script type="application/ld+json">{"@type":"Event","startDate":"2024-05-03"}</script>', '<time datetime="2024-05-03">May 3, 2024</time>'), '2024-05-03'],
  ['a copyright notice', PAGE('', '') + '<footer>© 1 January 2024 Acme</footer>', null],
  ['a relative time', PAGE('', '<span class="date">3 days ago</span>'), null],
  ['the date of a comment', PAGE('', '') + '<div class="comments"><div class="comment"><time datetime="2024-05-09">May 9, 2024</time></div></div>', null],
  ['a day in the future', LD('"datePublished":"2999-01-01"'), null],
  ['an update in brackets, its label behind the date', PAGE('', '<p class="data">2024年5月3日 01時28分 (5月4日 01時40分更新)</p>', 'ja'), '2024-05-03T01:28:00'],
  ['a title about an update', PAGE('', '<span class="date">May 3, 2024</span>').replaceAll('A page of the tests', 'A page on the update'), '2024-05-03'],
  ['the footer of the article', PAGE('', '<p>It opens on December 14, 2024.</p><footer><time datetime="2024-05-03">May 3, 2024</time></footer>'), '2024-05-03'],
  ['a time element with the publication attribute of older drafts', PAGE('', `${'<p>Some words.</p>'.repeat(12)}<time datetime="2024-05-04">May 4, 2024</time><time pubdate datetime="2024-05-03">May 3, 2024</time>`), '2024-05-03'],
  ['the class of an update at the only day', PAGE('', '<time class="updated" datetime="2024-05-03">May 3, 2024</time>'), '2024-05-03'],
  ['the class of an update beside that of a publication', PAGE('', '<time class="updated" datetime="2024-05-04">May 4, 2024</time><time class="published" datetime="2024-05-03">May 3, 2024</time>'), '2024-05-03'],
  ['an update that has the class of a publication', PAGE('', '<span>Updated on</span><time class="published updated" datetime="2024-05-03">May 3, 2024</time>'), null],
  ['a preposition between the label of an update and its day', PAGE('', '<span>Last updated</span> <span>on</span> <span class="date">May 3, 2024</span>'), null],
  ['the time of an update before the shown day', PAGE('', '<p class="meta"><span class="updated">2024-05-04T10:00:00+00:00</span><span>May 3, 2024</span></p>'), '2024-05-03'],
  ['another attribute of the post', PAGE('', '<x-timestamp publishdate="2024-05-03T10:20:30Z"></x-timestamp>'), '2024-05-03T10:20:30Z'],
  ['a title with the full day', PAGE('', '<abbr class="published" title="Friday, May 3rd, 2024">3May24</abbr>'), '2024-05-03'],
  ['a label before the name between', PAGE('', '<p>May 4, 2024</p><p>Posted by <a href="/jane">Jane Doe</a> on May 3, 2024</p>'), '2024-05-03'],
  ['a day in running text', PAGE('', '<p>As the society said, the doors of the museum closed for good on December 14, 2023.</p>' + '<p>Some words.</p>'.repeat(160) + '<p>May 3, 2024</p>'), '2024-05-03'],
  ['German', PAGE('', '<span class="datum">3. Mai 2024, 10:20 Uhr</span>', 'de'), '2024-05-03T10:20:00'],
  ['Japanese', PAGE('', '<p class="date">公開日：2024年5月3日</p>', 'ja'), '2024-05-03'],
  ['Thai with Buddhist years and digits', PAGE('', '<span class="post-date">๓ พฤษภาคม ๒๕๖๗</span>', 'th'), '2024-05-03'],
  ['Arabic digits', PAGE('', '<span class="date">٣ مايو ٢٠٢٤</span>', 'ar'), '2024-05-03'],
  ['a zero Unix time', LD('"datePublished":"1970-01-01T00:00:00+00:00"').replace('</h1>', '</h1><p class="date">Published May 3, 2024</p>'), '2024-05-03'],
  ['a zero date of a spreadsheet', PAGE('<meta name="citation_publication_date" content="1900/01/01">'), null],
  ['a historic date stated in the head', PAGE('<meta name="citation_publication_date" content="1953/04/25">'), '1953-04-25'],
  ['a historic date in the text', PAGE('', '<p class="date">Born April 25, 1953</p>'), null],
  ["WordPress's Chinese date format", PAGE('', '<span class="entry-date">5 月 3, 2024</span>', 'zh-TW'), '2024-05-03'],
  ['a year of the Republic of China', PAGE('', '<p class="date">發布日期：113-05-03</p>', 'zh-TW'), '2024-05-03'],
  ['the afternoon in Spanish', PAGE('', '<p class="date">3 de mayo de 2024, 3:20 p.&nbsp;m.</p>', 'es-MX'), '2024-05-03T15:20:00'],
  ['Persian calendar', PAGE('', '<span class="date">۱۴ اردیبهشت ۱۴۰۳</span>', 'fa'), '2024-05-03'],
]; // prettier-ignore

for (const [name, html, expected] of TIMES) {
  test(`publish time: ${name}`, () => {
    assert.equal(readPageFields(html).publishTime, expected);
  });
}

test('publish time: the address dates a page without another date', () => {
  assert.equal(
    readPageFields(PAGE(''), 'https://www.example.com/2024/05/03/a-page-of-the-tests/').publishTime,
    '2024-05-03',
  );
  assert.equal(readPageFields(PAGE(''), 'https://www.example.com/blog/2024/5/3/a-page').publishTime, '2024-05-03');
  assert.equal(readPageFields(PAGE(''), 'https://www.example.com/world/2024/may/03/a-page').publishTime, '2024-05-03');
  assert.equal(readPageFields(PAGE(''), 'https://www.example.com/world/2024/maps/03/a-page').publishTime, null);
});

test('publish time: a job has the day of its posting', () => {
  const html = PAGE(
    '<script type="application/ld+json">{"@type":"JobPosting","title":"A page of the tests","datePosted":"2024-05-03","validThrough":"2024-08-01"}</script>',
  );
  assert.equal(readPageFields(html).publishTime, '2024-05-03');
});

test('publish time: a product has none, even if its template states one', () => {
  const html = `<title>Kettle</title><meta property="og:type" content="product"><script type="application/ld+json">[{"@type":"Product","name":"Kettle"},{"@type":"WebPage","datePublished":"2019-04-01"}]</script><h1>Kettle</h1>`;
  assert.equal(readPageFields(html, 'https://www.example.com/products/kettle').publishTime, null);
});

test('publish time: the first entry of a list does not date the list', () => {
  const entries = ['03', '04', '05'].map(
    (day) =>
      `<article><h2><a href="/${day}">On leaks, part ${day}</a></h2><time datetime="2024-05-${day}">May ${day}, 2024</time></article>`,
  );
  const page = readPageFields(
    `<title>Repairs</title><h1>Repairs</h1>${entries.join('')}`,
    'https://www.example.com/about/all-our-repairs-of-ships',
  );
  assert.equal(page.publishTime, null);
});

const ADDRESS = 'https://www.example.com/blog/a-page-of-the-tests';
const ROWS = ['2024-05-03', '2024-05-01', '2024-04-29', '2024-04-20'];
const ROW = (day: string): string => `<div><h2>Other page</h2><time datetime="${day}">${day}</time></div>`;

/** Case, page, page type, expected time, address. */
const BY_TYPE: readonly (readonly [string, string, PageType, string | null, string?])[] = [
  ['a lone day under the title of an article', PAGE('', '<p>May 3, 2024</p>'), 'article', '2024-05-03'],
  ["a lone day under the title of a shop's page", PAGE('', '<p>May 3, 2024</p>'), 'collection', null],
  [
    'the same date on every page of a content system',
    PAGE(
      '<script type="application/ld+json">{"@type":"WebPage","name":"A page of the tests","datePublished":"2024-05-03"}</script>',
    ),
    'service',
    null,
  ],
  [
    'dates in the rows of a list',
    PAGE('', '') + '<p>Some words.</p>'.repeat(80) + ROWS.map(ROW).join(''),
    'article',
    null,
  ],
  [
    'an instant in UTC and the day that the page shows',
    PAGE(
      '<meta property="article:published_time" content="2024-05-04T02:30:00+00:00">',
      '<p class="date">Published May 3, 2024</p>',
    ),
    'article',
    '2024-05-03',
  ],
  [
    'an instant in UTC and the day in the address',
    PAGE('<meta property="article:published_time" content="2024-05-04T02:30:00Z">'),
    'article',
    '2024-05-03',
    'https://www.example.com/2024/05/03/a-page-of-the-tests',
  ],
  [
    'an instant in UTC and a shown day two days away',
    PAGE('<meta property="article:published_time" content="2024-05-05T02:30:00Z">', '<p class="date">May 8, 2024</p>'),
    'article',
    '2024-05-05T02:30:00Z',
  ],
  [
    'a visible update beside an OpenGraph date',
    PAGE(
      '<meta property="article:published_time" content="2024-05-03T10:20:30Z">',
      '<div class="published"><time datetime="2025-01-02">January 2, 2025</time></div>',
    ),
    'article',
    '2024-05-03T10:20:30Z',
  ],
  [
    'the first publication of a republished text',
    PAGE('', '<p class="date">Posted May 3, 2024</p><p>This article was originally published on January 2, 2019</p>'),
    'article',
    '2019-01-02',
  ],
  [
    'an earlier day of validity under the title',
    LD('"datePublished":"2024-08-07"').replace('</h1>', '</h1><p>Valid from Dec 30, 2013</p>'),
    'article',
    '2024-08-07',
  ],
  [
    'an earlier day of an issue under the title',
    LD('"datePublished":"2024-08-07"').replace('</h1>', '</h1><p>Issue 12, Dec 30, 2013</p>'),
    'article',
    '2024-08-07',
  ],
  [
    'a day without metadata and a telling address',
    PAGE('', '<p>May 3, 2024</p>'),
    'article',
    '2024-05-03',
    'https://www.example.com/x?id=7',
  ],
  ['a day on a front page', PAGE('', '<p>May 3, 2024</p>'), 'article', null, 'https://www.example.com/'],
  [
    'a post with its number as address',
    PAGE('', '<p>May 3, 2024</p>'),
    'article',
    '2024-05-03',
    'https://www.example.com/?p=17',
  ],
  [
    'the order of numbers from the month in the address',
    PAGE('', '<p class="date">05.03.2024</p>'),
    'article',
    '2024-05-03',
    'https://www.example.com/2024/05/a-page-of-the-tests',
  ],
  [
    'a day of another month than that in the address',
    PAGE('', '<x-post data-published="2024-03-02"></x-post><p>May 3, 2024</p>'),
    'article',
    '2024-05-03',
    'https://www.example.com/2024/05/a-page-of-the-tests',
  ],
  ["a member's joining date", PAGE('', '<p>Member since May 3, 2024</p>'), 'service', null],
];

for (const [name, html, pageType, time, url = ADDRESS] of BY_TYPE) {
  test(`publish time by page type: ${name}`, () => {
    assert.equal(readPageFields(html, url, '', pageType).publishTime, time);
  });
}

test("publish time: the day of a list's first entry does not date the list", () => {
  const entry = (link: string): string =>
    `<div><h2><a href="${link}">On leaks in ships</a></h2><p class="date">Posted <time datetime="2024-05-03">May 3, 2024</time></p></div>`;
  const list = `<title>On leaks in ships and more</title><h1>On leaks in ships and more</h1>${entry('/on-leaks')}`;
  assert.equal(readPageFields(list, 'https://www.example.com/').publishTime, null);
  assert.equal(readPageFields(list, 'https://www.example.com/on-leaks').publishTime, '2024-05-03');
});

test('publish time: several earlier days under the title are rows of a list', () => {
  const head = '<meta property="article:published_time" content="2024-05-03T10:00:00Z">';
  const rows = '<ul><li>January 1, 2019</li><li>February 2, 2018</li></ul>';
  assert.equal(readPageFields(PAGE(head, rows)).publishTime, '2024-05-03T10:00:00Z');
  assert.equal(readPageFields(PAGE(head, '<p>January 1, 2019</p>')).publishTime, '2019-01-01');
});

test('a German day with dots is not exchanged for the month of the address', () => {
  const german = PAGE(
    '',
    '<p class="date">10.11.2021</p><p>Der Hafenmeister der alten Stadt sagte am Dienstag, dass der neue Steg noch vor dem Ende des Sommers eröffnet werde.</p>',
    'de',
  );
  assert.equal(readPageFields(german, 'https://www.zeitung.example/2021/10/steg').publishTime, '2021-11-10');
});

test('publication time: an article without a day does not take that of an embedded post or a comment', () => {
  const article = '<h1>A page of the tests</h1><p>Some text of the article.</p>';
  const embedded =
    '<blockquote class="twitter-tweet"><p>Paint.</p><a href="https://posts.example.org/1">April 1, 2024</a></blockquote>';
  const comment =
    '<div id="comments"><ol><li class="comment">Bob <time datetime="2024-05-03T10:00:00Z">May 3, 2024</time><p>Fine.</p></li></ol></div>';
  for (const html of [`<article>${article}${embedded}</article>`, `<article>${article}</article>${comment}`]) {
    const page = `<html lang="en"><title>A page of the tests</title>${html}`;
    assert.equal(readPageFields(page, 'https://www.example.com/2024/stories/paint', '', 'article').publishTime, null);
  }
});

test('publication time: a recipe or an episode that is the page has its stated day, a book has not', () => {
  const read = (type: string, name: string): string | null =>
    readPageFields(
      PAGE(
        `<script type="application/ld+json">{"@type":${type},"name":"${name}","datePublished":"2024-05-03"}</script>`,
      ),
      'https://www.example.com/kitchen/buns',
      '',
      'article',
    ).publishTime;
  for (const type of ['"Recipe"', '["Recipe"]', '"HowTo"', '"PodcastEpisode"'])
    assert.equal(read(type, 'A page of the tests'), '2024-05-03');
  const recipe = '{"@type":"Recipe","name":"A page of the tests","datePublished":"2024-05-03T10:20:00+00:00"}';
  const article = '{"@type":"Article","headline":"A page of the tests","datePublished":"2024-05-03T15:20:00+00:00"}';
  const both = PAGE(`<script type="application/ld+json">[${recipe},${article}]</script>`);
  assert.equal(readPageFields(both, 'https://www.example.com/kitchen/buns').publishTime, '2024-05-03T15:20:00+00:00');
  assert.equal(read('"Book"', 'A page of the tests'), null);
  assert.equal(read('"Recipe"', 'Something else entirely'), null);
});
