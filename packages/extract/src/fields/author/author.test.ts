import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageType } from '../../types/extraction.ts';
import { readPageFields } from '../read-fields.test-helper.ts';

const LD = (author: string): string =>
  `<title>A page of the tests</title><h1>A page of the tests</h1><script type="application/ld+json">{"@type":"Article","headline":"A page of the tests","author":${author}}</script>`;
const SHOWN = (byline: string, lang = 'en'): string =>
  `<html lang="${lang}"><title>A page of the tests</title><article><h1>A page of the tests</h1>${byline}<p>Some text of the article.</p></article>`;

/** Case, page, expected author. */
const AUTHORS: readonly (readonly [string, string, string | null])[] = [
  ['JSON-LD person', LD('{"@type":"Person","name":"Jane Doe"}'), 'Jane Doe'],
  ['JSON-LD string', LD('"Jane Doe"'), 'Jane Doe'],
  ['JSON-LD people', LD('[{"name":"Jane Doe"},{"name":"John Roe"}]'), 'Jane Doe, John Roe'],
  ['JSON-LD with separate given and family names', LD('{"givenName":"Jane","familyName":"Doe"}'), 'Jane Doe'],
  ['JSON-LD address', LD('"https://example.com/author/jane"'), null],
  ['JSON-LD organisation', LD('{"@type":"Organization","name":"Acme Institute"}'), 'Acme Institute'],
  ['a stated organisation and a visible person', LD('{"@type":"Organization","name":"Acme Institute"}') + '<p class="byline">By <a rel="author" href="/author/jane-doe">Jane Doe</a></p>', 'Jane Doe'],
  ['meta', '<title>A page</title><meta name="author" content="Jane Doe">', 'Jane Doe'],
  ['meta with By and a role', '<meta name="author" content="By Jane Doe, Staff Writer">', 'Jane Doe'],
  ['a role before the name', SHOWN('<div>By VNN staff writer Jane Doe</div>'), 'Jane Doe'],
  ['when a question was asked', SHOWN('<div class="user-info"><div class="user-action-time">asked Mar 2 at 8:11</div><div class="user-details"><a href="/u/1">Jane Doe</a></div></div>'), 'Jane Doe'],
  ['a photographer beside a day', SHOWN('<figure><img src="/a.jpg"><figcaption>Jane Doe</figcaption></figure><p>May 3, 2024</p>'), null],
  ['a quoted person beside a day', SHOWN('<p>May 3, 2024</p><blockquote>It will hold.<cite>Jane Doe</cite></blockquote>'), null],
  ['two people in one meta', '<meta name="author" content="Jane Doe and John Roe">', 'Jane Doe, John Roe'],
  ['a degree after the name', '<meta name="author" content="Jane Doe, MD">', 'Jane Doe, MD'],
  ['a profile address', '<meta property="article:author" content="https://www.facebook.com/jane">', null],
  ['admin', '<meta name="author" content="admin">', null],
  ['staff', '<meta name="author" content="Staff">', null],
  ['what somebody did', SHOWN('<div class="user-info">asked <span title="2018-05-03">May 3</span></div>'), null],
  ['a section of recipes', SHOWN('<div class="author">Rezepte</div>', 'de'), null],
  ['the heads of a table of posts', SHOWN('<table><tr><th>Autor</th><th>Nachricht</th></tr></table>', 'de'), null],
  ['an account with a number in its address', SHOWN('<a href="/users/17/jane-doe">Jane Doe</a>'), 'Jane Doe'],
  ['an e-mail address', '<meta name="author" content="jane@example.com">', null],
  ['labels and controls', SHOWN('<span class="meta-prep-author">Posted on</span> May 3, 2024 <div class="author">Download PDF</div><div class="byline">Log in</div>'), null],
  ['an account in a card beside a label', SHOWN('<span class="meta-prep-author">Gepostet am</span> 3. Mai 2024 <span class="author vcard"><a class="url fn n" href="/author/tina">tina</a></span>', 'de'), 'tina'],
  ['links behind the name', SHOWN('<div class="byline"><a href="/people/1">Jane Doe</a> <a href="https://posts.example/j">Twitter</a> <a href="mailto:j">Email</a></div>'), 'Jane Doe'],
  ['the sender of a message', '<title>Depth of the gauge</title><h1>Depth of the gauge</h1><b>Jane Doe</b> <a href="mailto:x">jane at tides.example</a><br><i>Fri May  3 10:11:12 CEST 2024</i><pre>I would double it.</pre>', 'Jane Doe'],
  ['the sender in a list of headers', '<title>Depth of the gauge</title><h1>Depth of the gauge</h1><ul><li><em>From</em>: Jane Doe &lt;jane@tides.example&gt;</li><li><em>Date</em>: Fri, 3 May 2024 10:11:12 +0200</li></ul><pre>I would double it.</pre>', 'Jane Doe'],
  ['a date where the author should be', SHOWN('<span class="author">May 3, 2024</span>'), null],
  ['a line of text', SHOWN('<p>By Jane Doe</p>'), 'Jane Doe'],
  ['a label and a link', SHOWN('<div>Written by</div><div><a href="/team/jane-doe">Jane Doe</a></div>'), 'Jane Doe'],
  ['by inside a sentence', SHOWN('<p>The plan was opposed <em>by Jane Doe</em> for many good reasons that nobody in the room could name.</p>'.replace('<p>', '<p>The long debate about it went on for hours and hours. ')), null],
  ['the author of a comment', SHOWN('') + '<div class="comments"><div class="comment"><span class="comment-author">Bob Roe</span><p>Nice.</p></div></div>', null],
  ['microdata', SHOWN('<span itemprop="author" itemscope><span itemprop="name">Jane Doe</span></span>'), 'Jane Doe'],
  ['German', SHOWN('<p>Von Erika Mustermann</p>', 'de'), 'Erika Mustermann'],
  ['French', SHOWN('<p>Par Jeanne Dupont</p>', 'fr'), 'Jeanne Dupont'],
  ['Russian', SHOWN('<p>Автор: Мария Иванова</p>', 'ru'), 'Мария Иванова'],
  ['Japanese', SHOWN('<p>文／山田花子</p>', 'ja'), '山田花子'],
  ['Chinese', SHOWN('<p>作者：王小明</p>', 'zh'), '王小明'],
  ['Korean', SHOWN('<p>글 : 김철수</p>', 'ko'), '김철수'],
  ['Arabic', SHOWN('<p>بقلم: أحمد علي</p>', 'ar'), 'أحمد علي'],
  ['Hebrew', SHOWN('<p>מאת: דנה כהן</p>', 'he'), 'דנה כהן'],
  ['German people', SHOWN('<p>Von Jane Doe und John Roe</p>', 'de'), 'Jane Doe, John Roe'],
  ['a German line beside JSON-LD', '<html lang="de">' + LD('[{"name":"Jane Doe"},{"name":"John Roe"}]') + '<div class="byline">Von Jane Doe und John Roe</div>', 'Jane Doe, John Roe'],
  ['a French line beside JSON-LD', '<html lang="fr">' + LD('[{"name":"Jeanne Dupont"},{"name":"John Roe"}]') + '<div class="byline">Par Jeanne Dupont et John Roe</div>', 'Jeanne Dupont, John Roe'],
  ['a Spanish line beside JSON-LD', '<html lang="es">' + LD('[{"name":"Ana López"},{"name":"Juan Ruiz"}]') + '<div class="byline">Por Ana López y Juan Ruiz</div>', 'Ana López, Juan Ruiz'],
  ['a line in a language that the page does not declare', LD('[{"name":"Jane Doe"},{"name":"John Roe"}]') + '<p>Von Jane Doe und John Roe</p>', 'Jane Doe, John Roe'],
  ['a German meta', '<html lang="de"><meta name="author" content="Von Erika Mustermann">', 'Erika Mustermann'],
  ['a French JSON-LD string', '<html lang="fr">' + LD('"Par Jeanne Dupont"'), 'Jeanne Dupont'],
  ['a Spanish microdata', SHOWN('<span itemprop="author">POR ANA LÓPEZ</span>', 'es'), 'ANA LÓPEZ'],
  ['a preposition in JSON-LD that the byline lacks', LD('"Von Jane Doe"') + '<p class="byline">By Jane Doe</p>', 'Jane Doe'],
  ['a first name like a preposition', LD('"Von Miller"') + '<p class="byline">By Von Miller</p>', 'Von Miller'],
  ['a first name like a preposition before two surnames', LD('"Von Miller Jones"'), 'Von Miller Jones'],
  ['a noble name', '<html lang="de">' + LD('"Von der Leyen"'), 'Von der Leyen'],
  ['a title before a name', LD('"Dr. Jane Doe"') + '<p class="byline">By Jane Doe</p>', 'Dr. Jane Doe'],
  ['a name that begins like a byline', LD('"Di Maria"'), 'Di Maria'],
  ['a team', '<meta name="author" content="Marketing Team">', 'Marketing Team'],
  ['a host name', LD('"example.net"'), null],
  ['an account name with dots', '<meta name="author" content="jane.x.doe">', 'jane.x.doe'],
  ['a day before the name', SHOWN('<div class="date-author">Dec. 19, 2025 · Jane Doe</div>'), 'Jane Doe'],
  ['a label of contributors', SHOWN('<p><b>Contributors:</b> Jane Doe</p>'), 'Jane Doe'],
  ['a line of names under the title', SHOWN('<p>Jane Doe, John Roe, Ann Lee</p>'), 'Jane Doe, John Roe, Ann Lee'],
  ['a portrait', SHOWN('<div><img class="avatar" src="/a.png"> Jane Doe in <a href="/news">News</a></div>'), 'Jane Doe'],
  ['an author box', SHOWN('') + '<h3>Jane Doe</h3><p>Jane Doe is a journalist who has written about tides for many years.</p>', 'Jane Doe'],
  ['a heading that announces the author', SHOWN('') + '<p>About the author</p><p>Jane Doe has written about tides for many years.</p>', 'Jane Doe'],
  ['product boxes', SHOWN('') + '<h3>Acme Sheets</h3><p>Acme Sheets is an application that computes what you type into it.</p>', null],
  ['team boxes', SHOWN('') + ['Jane Doe', 'John Roe', 'Ann Lee'].map((name) => `<h3>${name}</h3><p>${name} is an engineer who has worked with us for many years.</p>`).join(''), null],
  ['the profile address stated in the head', '<meta property="article:author" content="https://www.example.com/~jd">' + SHOWN('<p>via <a href="/~jd">jd</a></p>'), 'jd'],
  ["a site's name that starts like a byline", '<title>A page of the tests</title><h1><a href="/">By the Sea</a></h1><h2>A page of the tests</h2><p>Some text of the article.</p>', null],
  ['the footer of a post', SHOWN('') + '<div class="post-footer"><span class="post-author">Jane Doe</span></div>', 'Jane Doe'],
  ['the footer of the page', SHOWN('') + '<div class="footer"><span class="post-author">Jane Doe</span></div>', null],
  ['a Chinese editor in charge', SHOWN('<p class="author">责任编辑：王小明</p>', 'zh'), '王小明'],
  ['the source of an image', SHOWN('<p class="author">图片来源：王小明</p>', 'zh'), null],
  ['an organisation after the names', SHOWN('<p class="byline">By JANE DOE and JOHN ROE, Associated Press</p>'), 'JANE DOE, JOHN ROE'],
  ['an organisation after one name', '<meta name="author" content="Jane Doe, Acme Institute">', 'Jane Doe'],
  ['an organisation with a comma', '<meta name="author" content="Department of Health, Press Office">', 'Department of Health, Press Office'],
  ['a German date after the name', SHOWN('<p>Von Anna Meier, 5. März 2024</p>', 'de'), 'Anna Meier'],
  ['a Spanish date after the name', SHOWN('<p>Por Ana López 5 de marzo de 2024</p>', 'es'), 'Ana López'],
  ['a Dutch date after the name', SHOWN('<p>Door Jan de Vries op 5 maart 2024</p>', 'nl'), 'Jan de Vries'],
  ['a French publication line after the name', SHOWN('<p>Par Anne Lefèvre, publié le 5 mars 2024</p>', 'fr'), 'Anne Lefèvre'],
  ['a photographer after the name', SHOWN('<p>文：山田太郎　写真：佐藤花子</p>', 'ja'), '山田太郎'],
  ['two Italians', SHOWN('<p class="autore">di Giovanna Rossi e Mario Bianchi</p>', 'it'), 'Giovanna Rossi, Mario Bianchi'],
  ['two Dutch people', SHOWN('<p class="byline">Door Johanna de Vries en Jan Jansen</p>', 'nl'), 'Johanna de Vries, Jan Jansen'],
  ['two Finns', SHOWN('<p class="byline">Anna Virtanen ja Matti Korhonen</p>', 'fi'), 'Anna Virtanen, Matti Korhonen'],
  ['one name with a word for "and"', SHOWN('<p class="autor">Por Maria da Costa e Silva</p>', 'pt'), 'Maria da Costa e Silva'],
  ['one name beside a place', SHOWN('<p class="autor">Juana Pérez en Buenos Aires</p>', 'es'), 'Juana Pérez en Buenos Aires'],
  ['two Koreans with a role', SHOWN('<p class="byline">홍길동·김영희 기자</p>', 'ko'), '홍길동, 김영희'],
  ['an address after the name', SHOWN('<p class="byline">홍길동 기자 hong@example.com</p>', 'ko'), '홍길동'],
  ['a German guest author', SHOWN('<p class="autor">Ein Gastbeitrag von Jana Müller</p>', 'de'), 'Jana Müller'],
  ['a role in capitals', SHOWN('<p class="byline">By Jane Doe, Political Editor, and John Roe, Health Correspondent</p>'), 'Jane Doe, John Roe'],
  ['a role in lower case', SHOWN('<p class="auteur">Jeanne Dupont, envoyée spéciale à Kiev</p>', 'fr'), 'Jeanne Dupont'],
  ['name particles that are articles in other languages', SHOWN('<p class="byline">Door Jan van den Berg en Mohamed el Khatib, vrijdag 3 mei 2024</p>', 'nl'), 'Jan van den Berg, Mohamed el Khatib'],
  ['a French day of the week', SHOWN('<p class="auteur">Par Anne Lefèvre le vendredi 3 mai 2024</p>', 'fr'), 'Anne Lefèvre'],
  ['a name particle after a comma', SHOWN('<p class="byline">By Jane Doe, van den Berg</p>'), 'Jane Doe, van den Berg'],
  ['an agency beside the author', SHOWN('<p class="auteur">Par Jeanne Dupont avec AFP</p>', 'fr'), 'Jeanne Dupont'],
  ['a separate sentence for the photographer', SHOWN('<p class="byline">Words by Jane Doe. Photographs by Bob Lee.</p>'), 'Jane Doe'],
  ['separate lines for text and photographs', SHOWN('<div><span>Words Jane Doe</span><span>Photographs Bob Lee</span><span>5 March 2024</span></div>'), 'Jane Doe'],
  ['a photographer alone', SHOWN('<div><span>Photography Bob Lee</span><span>5 March 2024</span></div>'), null],
  ['a label before a sentence with a date', SHOWN('<p>Textual Amendments</p><p>Words in section 3 were substituted on 31.12.2020 by later regulations, with effect for all of the country.</p>'), null],
  ['a name in brackets', SHOWN('<p class="author">【山田太郎】</p>', 'ja'), '山田太郎'],
  ['a department after the name', SHOWN('<p class="author">山田太郎（編集部）</p>', 'ja'), '山田太郎'],
  ['a photo credit with a slash', SHOWN('<p class="author">文/王小明 图/李大华</p>', 'zh'), '王小明'],
  ['a reporter of the paper itself', SHOWN('<div class="author">本报记者 王小明</div>', 'zh'), '王小明'],
  ['a Korean label before the name', SHOWN('<ul><li>기자명 홍길동 기자</li></ul>', 'ko'), '홍길동'],
  ['a Romanian preposition', SHOWN('<p class="autor">De Ana Popescu</p>', 'ro'), 'Ana Popescu'],
  ['a date in Persian digits', SHOWN('<p>۱۵ اسفند ۱۴۰۲ - ۱۰:۳۰</p>', 'fa'), null],
  ["a manufacturer's store", SHOWN('<a class="byline" href="/stores/acme">Visit the Acme Store</a>'), null],
  ['no author', SHOWN(''), null],
  ['a list of names in JSON-LD', LD('{"@type":"Person","name":["Ann Lee","Bo Roe"]}'), 'Ann Lee, Bo Roe'],
  ['names of an organisation in JSON-LD', LD('{"@type":"Organization","name":["Acme Institute","Acme Labs Berlin"]}'), 'Acme Institute'],
  ['a list of links', SHOWN('<p>By <a href="/a/ann-lee">Ann Lee</a>, <a href="/a/bo-roe">Bo Roe</a> and <a href="/a/cy-poe">Cy Poe</a></p>'), 'Ann Lee, Bo Roe, Cy Poe'],
  ['a German list of links', SHOWN('<p>Von <a href="/a/1">Ann Lee</a> und <a href="/a/2">Bo Roe</a></p>', 'de'), 'Ann Lee, Bo Roe'],
  ['a long list of links', SHOWN(`<p>By ${['Ann Lee', 'Bo Roe', 'Cy Poe', 'Di Foe', 'Ed Goe', 'Flo Hoe'].map((name) => `<a href="/a/x">${name}</a>`).join(', ')}</p>`), 'Ann Lee, Bo Roe, Cy Poe, Di Foe, Ed Goe, Flo Hoe'],
  ['an unrelated link after the name', SHOWN('<p>By <a href="/authors/ann-lee">Ann Lee</a>, <a href="/places/new-york">New York</a></p>'), 'Ann Lee'],
  ['a role after the name', SHOWN('<p>By <a href="/authors/ann-lee">Ann Lee</a>, <span>Health Editor</span></p>'), 'Ann Lee'],
  ['links on two lines', SHOWN('<p>By <a href="/a/ann-lee">Ann Lee</a></p><p>, <a href="/a/bo-roe">Bo Roe</a></p>'), 'Ann Lee'],
  ['several rel=author', SHOWN('<p><a rel="author" href="/1">Ann Lee</a>, <a rel="author" href="/2">Bo Roe</a></p>'), 'Ann Lee, Bo Roe'],
  ['rel=author of two articles', SHOWN('<p><a rel="author" href="/1">Ann Lee</a></p>') + '<div><h3>Another page</h3><a rel="author" href="/2">Bo Roe</a></div>', 'Ann Lee'],
  ['several authors in microdata', SHOWN('<p><span itemprop="author">Ann Lee</span> and <span itemprop="author">Bo Roe</span></p>'), 'Ann Lee, Bo Roe'],
  ['several named authors in microdata', SHOWN('<div><div itemprop="author" itemscope><b itemprop="name">Ann Lee</b></div><div itemprop="author" itemscope><b itemprop="name">Bo Roe</b></div></div>'), 'Ann Lee, Bo Roe'],
  ['an invisible name in microdata', SHOWN('<span itemprop="author" itemscope><link itemprop="url" href="/a"><link itemprop="name" content="Jane Doe"></span>'), 'Jane Doe'],
  ['several authors marked by class', SHOWN('<div class="authors"><span class="author">Ann Lee</span><span class="author">Bo Roe</span></div>'), 'Ann Lee, Bo Roe'],
  ['a name in two elements', SHOWN('<div class="author"><span class="author-name">Ann</span> <span class="author-name">Lee</span></div>'), 'Ann Lee'],
  ['a role with the same markup as the name', SHOWN('<div class="byline"><span class="author">Ann Lee</span>, <span class="author">Health Editor</span></div>'), 'Ann Lee'],
]; // prettier-ignore

for (const [name, html, expected] of AUTHORS) {
  test(`author: ${name}`, () => {
    assert.equal(readPageFields(html).author, expected);
  });
}

test('author: the evidence lists refused candidates with the reason', () => {
  const { author } = readPageFields('<meta name="author" content="admin">').evidence;
  assert.equal(author.source, null);
  assert.deepEqual(author.rivals, [
    { source: 'meta:author', value: 'admin', reason: 'a generic word with nobody behind it' },
  ]);
});

const THREAD = (posts: string): string =>
  `<title>Which tide tables?</title><h1>Which tide tables?</h1><script type="application/ld+json">{"@type":"DiscussionForumPosting","headline":"Which tide tables?"}</script>${posts}`;
const REPLY = `<article itemscope itemtype="https://schema.org/Comment"><span itemprop="author">later_one</span><p>Any of them.</p></article>`;

/** Case, posts, expected author of the discussion. */
const THREADS: readonly (readonly [string, string, string])[] = [
  ['the thread starter, from a label', `<ul><li><span>Thread starter</span> <a href="/members/1">first_one</a></li></ul>${REPLY}`, 'first_one'],
  ['users side by side', `<p><a class="username" href="/members/1">Ann Lee</a>, <a class="username" href="/members/2">Bo Roe</a></p>${REPLY}`, 'Ann Lee'],
  ['the box beside the first post', `<div class="postleft"><dl><dt><b>first_one</b></dt><dd>Member</dd><dd>Posts: 1</dd></dl></div><p>Which ones?</p><div class="postleft"><dl><dt><b>later_one</b></dt><dd>Member</dd></dl></div>`, 'first_one'],
]; // prettier-ignore

for (const [name, posts, expected] of THREADS) {
  test(`author of a discussion: ${name}`, () => {
    assert.equal(readPageFields(THREAD(posts), 'https://forum.example.com/t/which-tide-tables').author, expected);
  });
}

test('author of an issue: the person who opened it', () => {
  const html =
    '<title>Crash at ebb · Issue #42</title><h1>Crash at ebb</h1><p><a class="author" href="/marak">marak</a> opened this issue</p>';
  assert.equal(readPageFields(html, 'https://code.example.com/acme/tides/issues/42').author, 'marak');
});

const ADDRESS = 'https://www.example.com/blog/a-page-of-the-tests';
const TITLE = '<title>A page of the tests</title>';
const BESIDE_DATE = SHOWN('<div><span>Jane Doe</span> <span>May 3, 2024</span></div>');

/** Case, page, page type, expected author, address. */
const BY_TYPE: readonly (readonly [string, string, PageType, string | null, string?])[] = [
  ["a name beside a date is an article's author", BESIDE_DATE, 'article', 'Jane Doe'],
  ["a name beside a date is not a product's author", BESIDE_DATE, 'product', null],
  [
    "the maker of a company's site",
    `${TITLE}<meta name="author" content="Jane Doe">`,
    'service',
    null,
    'https://www.example.com/contact',
  ],
  ['the same meta on an article', `${TITLE}<meta name="author" content="Jane Doe">`, 'article', 'Jane Doe'],
  ['a control of a list', SHOWN('<h3>By Category</h3>'), 'article', null],
  ['a column of a table', SHOWN('<table><tr><th>Author</th><th>Titles</th></table>'), 'article', null],
  [
    'a name in a line with the day',
    SHOWN('<div><span>May 3, 2024 by <b>Jane Doe</b></span> <a href="/c">3 comments</a></div>'),
    'article',
    'Jane Doe',
  ],
  [
    'a name in a paragraph below the day',
    SHOWN(
      '<p>May 3, 2024</p><p>Earlier this week, in the garden of <a href="/b">Big Ben</a>, the members of the society met the mayor of the town for the first time.</p>',
    ),
    'article',
    null,
  ],
  [
    'a section beside the day, by its relation',
    SHOWN('<p><a rel="category tag" href="/x">Jane Doe</a> May 3, 2024</p>'),
    'article',
    null,
  ],
  [
    'a section beside the day, by its address',
    SHOWN('<p><a href="/category/jane-doe">Jane Doe</a> May 3, 2024</p>'),
    'article',
    null,
  ],
  [
    'a section beside the day, by its words in the text',
    SHOWN('<p><a href="/x">Wedding Planning</a> May 3, 2024</p><p>How to begin the planning of a wedding.</p>'),
    'article',
    null,
  ],
  ["a date's label beside the date", SHOWN('<p>Posted On</p><p>May 3, 2024</p>'), 'article', null],
  [
    'an organisation with "and" in its name',
    LD('{"@type":"Organization","name":"Barnes and Noble"}'),
    'article',
    'Barnes and Noble',
  ],
  ['two first names joined by "und"', `<html lang="de">${LD('"Linny und Peter"')}`, 'article', 'Linny und Peter'],
  ['several people, one with a role', LD('"Jane Doe, John Roe and Nairobi"'), 'article', 'Jane Doe, John Roe, Nairobi'],
  [
    'a byline under the title beside an account in the head',
    `<meta name="author" content="jroe77">${SHOWN('<p>By Jane Doe</p>')}`,
    'article',
    'Jane Doe',
  ],
  [
    'a byline under the title beside the site in the head',
    `<meta property="og:site_name" content="Acme Daily"><meta name="author" content="Acme Daily">${LD('{"@type":"Organization","name":"Acme Daily"}')}<p>By Jane Doe</p>`,
    'article',
    'Jane Doe',
  ],
  [
    'a person whose name contains the name of the site',
    `<meta property="og:site_name" content="Mill">${SHOWN('<p>By Ada Miller and Tom Weir</p>')}`,
    'article',
    'Ada Miller, Tom Weir',
  ],
  ["the site's host as the author", `${TITLE}<meta name="author" content="example.com">`, 'article', 'example.com'],
  ['a meta name outside the tables', `${TITLE}<meta name="articleAuthor" content="Jane Doe">`, 'article', 'Jane Doe'],
  ['a byline in brackets', SHOWN('<p>（责编：牛镛、岳弘彬）</p>', 'zh'), 'article', '牛镛, 岳弘彬'],
  [
    'a byline with much white space',
    SHOWN(`<p>${' '.repeat(100)}By Jane Doe,${' '.repeat(100)}in <a href="/news">News</a></p>`),
    'article',
    'Jane Doe',
  ],
  ['a byline that continues with a link', SHOWN('<p>By ABC, in <a href="/news">News</a></p>'), 'article', 'ABC'],
  [
    'authors in the rows of a list',
    `${TITLE}<h1>A page of the tests</h1>${'<p>Some words.</p>'.repeat(40)}${['Jane Doe', 'John Roe', 'Ann Lee', 'Bob Ray'].map((name) => `<div><h2>Other page</h2><span class="writer">${name}</span></div>`).join('')}`,
    'listing',
    null,
  ],
];

for (const [name, html, pageType, author, url = ADDRESS] of BY_TYPE) {
  test(`author by page type: ${name}`, () => {
    assert.equal(readPageFields(html, url, '', pageType).author, author);
  });
}

const PROSE =
  '<p>The mine lies in the hills above the town, and people there have heard it every day for as long as they remember.</p>';
const SIGNED = (line: string, head = ''): string =>
  `<title>A page of the tests</title><meta property="og:site_name" content="Valley Times">${head}<h1>A page of the tests</h1><p>Noise in the hills</p>${line}${PROSE}`;
const BY_SITE =
  '<script type="application/ld+json">{"@type":"Article","headline":"A page of the tests","author":{"name":"Valley Times"}}</script>';

test("author: full names alone above the first paragraph outrank the site's name", () => {
  assert.equal(readPageFields(SIGNED('<p><strong>Jane Doe</strong></p>', BY_SITE)).author, 'Jane Doe');
  assert.equal(readPageFields(SIGNED('<p>Jane Doe/John Roe</p>', BY_SITE)).author, 'Jane Doe, John Roe');
});

test('author: a line above the first paragraph is ignored if it is a link or no name, or if the page states a person', () => {
  assert.equal(readPageFields(SIGNED('<p><a href="/funds">Browse Open Funds</a></p>', BY_SITE)).author, 'Valley Times');
  assert.equal(readPageFields(SIGNED('<p>Life in the valley</p>', BY_SITE)).author, 'Valley Times');
  assert.equal(readPageFields(SIGNED('<p>Jane Doe</p>', BY_SITE.replace('Valley Times', 'Ann Lee'))).author, 'Ann Lee');
});

const NO_PERSONS =
  'Senior Member|Super Moderator|Well-Known Member|New York|London|South Africa|San Francisco, CA|Donnerstag|Mercredi|Inhaltsverzeichnis|Table of Contents|Add To Cart|Load More|Quick Links|Dark Mode|Getting Started|Executive Summary|Top Stories|Related Articles|Neues Mitglied'.split(
    '|',
  );

test('author: ranks, places, weekdays, headings and controls are no authors', () => {
  for (const text of NO_PERSONS) {
    assert.equal(readPageFields(SHOWN(`<div class="author">${text}</div><span>May 3, 2024</span>`)).author, null, text);
    assert.equal(readPageFields(SHOWN(`<div><span>${text}</span> <span>May 3, 2024</span></div>`)).author, null, text);
  }
});

test('author: names of people may contain words for places and weekdays', () => {
  for (const name of ['Paris Hilton', 'Jack London', 'Newt York', 'Cameron West', 'Friday Osei', 'Santiago San Jose'])
    assert.equal(readPageFields(SHOWN(`<div class="author">${name}</div>`)).author, name);
});

const ENTRY = (link: string, name: string): string =>
  `<div><h2><a href="${link}">On leaks in ships</a></h2><p>by <a rel="author" href="/author/x">${name}</a></p><p>Some text.</p></div>`;

test("author: the byline of a list's first entry does not sign the list", () => {
  const list = `<title>Repairs</title><h1>Repairs</h1>${ENTRY('/on-leaks', 'Jane Doe')}${ENTRY('/on-rust', 'Jane Doe')}`;
  for (const url of ['https://www.example.com/', 'https://www.example.com/blog/page/4/'])
    assert.equal(readPageFields(list, url).author, null);
});

test('author: a byline under a heading that links to the page itself counts', () => {
  const post = `<title>On leaks in ships</title>${ENTRY('/blog/on-leaks/', 'Jane Doe')}`;
  assert.equal(readPageFields(post, 'https://www.example.com/blog/on-leaks').author, 'Jane Doe');
});

test('author: a byline between a linked section heading and the title counts', () => {
  const post =
    '<title>On leaks in ships</title><h2><a href="/blog/">All posts</a></h2><span class="author">Jane Doe</span><h1>On leaks in ships</h1><p>Some text.</p>';
  assert.equal(readPageFields(post, 'https://www.example.com/on-leaks-in-ships').author, 'Jane Doe');
});

test('author: the painter or photographer of a picture is none', () => {
  const caption = 'A portrait of the harbour master <a href="/w/m">Maren Holt</a> by <a href="/w/g">Gustav Lind</a>';
  for (const body of [`<figcaption>${caption}</figcaption>`, `<div class="thumb-caption"><p>${caption}</p></div>`])
    assert.equal(
      readPageFields(`<h1>A page of the tests</h1><figure><img src="/a.jpg">${body}</figure>${PROSE}`).author,
      null,
    );
});

test('author: the first post of a forum names its author by the marks of the software', () => {
  const post = (name: string, id: number): string =>
    `<div class="post" id="post_${id}"><div class="author_information"><strong><a>${name}</a></strong><br>Senior Member</div><p>${PROSE}</p></div>`;
  const topic = `<title>Tar or paint</title><h1>Tar or paint</h1>${post('rosa', 1)}${post('bosun', 2)}`;
  assert.equal(readPageFields(topic, 'https://board.example.org/forum/showthread.php?tid=4').author, 'rosa');
});

test('author: the position in an element after the name is no part of it', () => {
  for (const position of ['Senior Waterways Correspondent', 'Writer', 'Redakteurin'])
    assert.equal(
      readPageFields(SHOWN(`<div class="byline"><a href="/s/1">Jane Doe</a><span>${position}</span></div>`)).author,
      'Jane Doe',
    );
});

test('author: a commenter below an unsigned article is not its author', () => {
  const comment = '<div class="comment-list"><div class="comment"><b class="author">Kim</b><p>Fine.</p></div></div>';
  const page = `<title>A page of the tests</title><article><h1>A page of the tests</h1>${PROSE}</article>${comment}`;
  const url = 'https://www.example.com/2024/stories/how-we-paint-a-hull';
  assert.equal(readPageFields(page, url, '', 'article').author, null);
});

test('author: the heading of a box names the author after a preposition', () => {
  for (const [heading, lang] of [
    ['About Jane Doe', 'en'],
    ['Über Jane Doe', 'de'],
    ['À propos de Jane Doe', 'fr'],
  ] as const)
    assert.equal(
      readPageFields(SHOWN(`<div class="author-card"><h4>${heading}</h4><p>Water and boats.</p></div>`, lang)).author,
      'Jane Doe',
    );
});
