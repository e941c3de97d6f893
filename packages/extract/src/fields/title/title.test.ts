import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPageFields } from '../read-fields.test-helper.ts';

const URL = 'https://www.dailyplanet.com/news/2024/how-to-grow-tomatoes';

/** Case, page, expected title. */
const TITLES: readonly (readonly [string, string, string | null])[] = [
  ["the site's name after a bar", '<title>How to Grow Tomatoes | The Daily Planet</title><meta property="og:site_name" content="The Daily Planet">', 'How to Grow Tomatoes'],
  ["the site's name before a dash", '<title>Daily Planet – How to Grow Tomatoes</title>', 'How to Grow Tomatoes'],
  ["the site's name before a colon", '<title>DailyPlanet.com: How to Grow Tomatoes : Garden</title><h1>How to Grow Tomatoes</h1>', 'How to Grow Tomatoes'],
  ['the day after the title', '<title>How to Grow Tomatoes - Nov. 1, 2000</title>', 'How to Grow Tomatoes'],
  ['the day of a daily column', '<title>Morning briefing - May 3, 2024</title>', 'Morning briefing - May 3, 2024'],
  ['a title with a colon', '<title>Tomatoes: How to Grow Them</title>', 'Tomatoes: How to Grow Them'],
  ["a product's name that starts with the site's name", '<title>Daily Planet Weather | Forecasts | Daily Planet</title><meta property="og:site_name" content="Daily Planet">', 'Daily Planet Weather | Forecasts'],
  ["a site's name known only from the host", '<title>How to Grow Tomatoes - DailyPlanet</title>', 'How to Grow Tomatoes'],
  ['a separator that belongs to the title', '<title>Tomatoes - from seed to sauce | Daily Planet</title><h1>Tomatoes - from seed to sauce</h1>', 'Tomatoes - from seed to sauce'],
  ['a label before the heading', '<title>How to Grow Tomatoes - Daily Planet</title><h1>Thread: <span>How to Grow Tomatoes</span></h1>', 'How to Grow Tomatoes'],
  ['a title that starts with a word often used in labels', '<title>Question: How to Grow Tomatoes? - Daily Planet</title><h1>Question: How to Grow Tomatoes?</h1>', 'Question: How to Grow Tomatoes?'],
  ['a hyphen inside a word', '<title>Well-fed tomatoes in mid-July</title>', 'Well-fed tomatoes in mid-July'],
  ['a section before the site', '<title>How to Grow Tomatoes | Garden | Daily Planet</title><h1>How to Grow Tomatoes</h1>', 'How to Grow Tomatoes'],
  ['the number of an issue', '<title>Pump leaks in frost (#12) · Issues · quay / boiler · Forge</title><h1>Pump leaks in frost</h1>', 'Pump leaks in frost'],
  ['a number that is part of the title', '<title>The tide (#3) | Daily Planet</title><h1>The tide (#3)</h1>', 'The tide (#3)'],
  ['a logo as first heading', '<title>How to Grow Tomatoes - Daily Planet</title><h1><a href="/">Daily Planet</a></h1><h1>How to Grow Tomatoes</h1>', 'How to Grow Tomatoes'],
  ["a heading that is only the site's name", '<title>How to Grow Tomatoes - Daily Planet</title><h1>Daily Planet</h1>', 'How to Grow Tomatoes'],
  ['parts of a heading separated by a style sheet', '<h1><span>How to Grow</span><span>Tomatoes</span> on a m<sup>2</sup></h1>', 'How to Grow Tomatoes on a m2'],
  ['an invisible part of a heading', '<h1>How to Grow Tomatoes<span style="display:none"> in short</span></h1>', 'How to Grow Tomatoes'],
  ["a heading's permalink mark", '<h1 id="a">How to Grow Tomatoes<a class="headerlink" href="#a">¶</a></h1>', 'How to Grow Tomatoes'],
  ['no head at all', '<h1>How to <em>Grow</em> Tomatoes</h1>', 'How to Grow Tomatoes'],
  ['entities in JSON-LD', '<script type="application/ld+json">{"@type":"Article","headline":"Tomatoes &amp; Basil"}</script>', 'Tomatoes & Basil'],
  ['Japanese with a full-width bar', '<title>トマトの育て方｜デイリープラネット</title><meta property="og:site_name" content="デイリープラネット">', 'トマトの育て方'],
  ['Chinese with dashes without spaces', '<title>番茄的种植方法--园艺频道--星球日报</title><h1>番茄的种植方法</h1>', '番茄的种植方法'],
  ['Chinese with a low line', '<title>番茄的种植方法_星球日报</title><meta property="og:site_name" content="星球日报">', '番茄的种植方法'],
  ['a dash inside a Chinese title', '<title>番茄——夏天的味道</title>', '番茄——夏天的味道'],
  ['Arabic', '<html lang="ar"><title>كيف تزرع الطماطم | ديلي بلانيت</title><meta property="og:site_name" content="ديلي بلانيت">', 'كيف تزرع الطماطم'],
  ['white space and soft hyphens', '<title>\n  How to\u00a0Grow  To\u00admatoes \n</title>', 'How to Grow Tomatoes'],
  ["a site's name known only from the link to the front page", '<title>How to Grow Tomatoes « Green Corner</title><p><a href="/">Green Corner</a></p>', 'How to Grow Tomatoes'],
  ["a site's name known only from its logo", '<title>Green Corner: How to Grow Tomatoes</title><a href="https://www.dailyplanet.com"><img src="/a.png" alt="Green Corner"></a>', 'How to Grow Tomatoes'],
  ["a blog's name as heading", '<title>Green Corner: How to Grow Tomatoes</title><h1><a href="/news/">Green Corner</a></h1><h3>How to Grow Tomatoes</h3>', 'How to Grow Tomatoes'],
  ["a site's name with a colon", '<title>Corner: The Garden: How to Grow Tomatoes</title><h1><a href="/">Corner: The Garden</a></h1>', 'How to Grow Tomatoes'],
  ['a part of the title that links to the front page of another site', '<title>How to Grow Tomatoes - with Gardener</title><a href="https://example.org/">with Gardener</a>', 'How to Grow Tomatoes - with Gardener'],
  ['a part of the title that links to the page itself', '<title>How to Grow Tomatoes - Part 2</title><a href="">How to Grow Tomatoes</a><a rel="bookmark" href="/news/">How to Grow Tomatoes</a>', 'How to Grow Tomatoes - Part 2'],
  ['a default of WordPress', '<title>Daily Planet » Blog Archive » How to Grow Tomatoes</title>', 'How to Grow Tomatoes'],
  ['no title', '<p>no title</p>', null],
]; // prettier-ignore

for (const [label, html, expected] of TITLES) {
  test(`title: ${label}`, () => {
    assert.equal(readPageFields(html, URL).title, expected);
  });
}

/** Case, article page of the site Daily Planet, expected title. */
const BARE_TITLES: readonly (readonly [string, string, string])[] = [
  ["the site's name as title", '<title>Daily Planet</title><h1>New pier opens</h1>', 'New pier opens'],
  ["the site's name as title and preview", '<title>Daily Planet</title><meta property="og:title" content="Daily Planet"><h1>The new pier opens for all in late summer</h1>', 'The new pier opens for all in late summer'],
  ["the site's name twice", '<title>Daily Planet | The Daily Planet</title><h1>New pier opens</h1>', 'New pier opens'],
  ["the site's name and no heading", '<title>Daily Planet</title>', 'Daily Planet'],
  ["the site's name as title and heading", '<title>Daily Planet</title><h1>Daily Planet</h1>', 'Daily Planet'],
  ["a title with more than the site's name", '<title>Daily Planet Weather</title><h1>Rain</h1>', 'Daily Planet Weather'],
]; // prettier-ignore

for (const [label, html, expected] of BARE_TITLES) {
  test(`title: ${label}`, () => {
    const name = '<meta property="og:site_name" content="Daily Planet">';
    assert.equal(readPageFields(name + html, 'https://www.dailyplanet.com/news/12345').title, expected);
  });
}

test('title: a later page of a list keeps the title of the list', () => {
  const html = '<title>Tomatoes - Page 2</title><a href="/tomatoes/">Tomatoes</a>';
  assert.equal(readPageFields(html, 'https://www.dailyplanet.com/tomatoes/page/2').title, 'Tomatoes - Page 2');
});

test("title: a front page keeps the site's name", () => {
  const html = '<title>Daily Planet: News for Metropolis</title><meta property="og:site_name" content="Daily Planet">';
  assert.equal(readPageFields(html, 'https://www.dailyplanet.com/').title, 'Daily Planet: News for Metropolis');
});

test('title: "Home" loses to any other title of a front page', () => {
  const html = '<title>Home - Daily Planet</title><meta property="og:title" content="Home">';
  assert.equal(readPageFields(html, 'https://www.dailyplanet.com/').title, 'Home - Daily Planet');
  assert.equal(readPageFields('<title>Home</title>', 'https://www.dailyplanet.com/').title, 'Home');
});

test('title: the evidence names the chosen title and the other candidates', () => {
  const { title } = readPageFields(
    '<title>One thing</title><meta property="og:title" content="Quite another matter"><h1>One thing</h1>',
    URL,
  ).evidence;
  assert.equal(title.value, 'One thing');
  assert.ok(title.rivals.some((rival) => rival.value === 'Quite another matter' && rival.reason !== ''));
});

test('title: the address decides between the heading and the title stated in the head', () => {
  const html =
    '<title>All about tides and the moon</title><meta property="og:title" content="All about tides and the moon"><h1>Why the sea rises twice a day</h1>';
  assert.equal(
    readPageFields(html, 'https://www.example.com/blog/why-the-sea-rises-twice-a-day').title,
    'Why the sea rises twice a day',
  );
  assert.equal(
    readPageFields(html, 'https://www.example.com/blog/all-about-tides-and-the-moon').title,
    'All about tides and the moon',
  );
});

const SEARCH_TITLE = 'Tomatoes: all that you need to know in May';
const HEADLINE = 'Why this year is a good one for gardeners';
const TRAIL = '<a href="/">Daily Planet</a> › <a href="/news/">News</a> › ';

function readTitle(headline: string, body: string): string | null {
  return readPageFields(`<title>${SEARCH_TITLE} | Daily Planet</title>${headline}${body}`, URL).title;
}

test('title: a heading that ends a breadcrumb loses to another title that the page states', () => {
  const preview = `<meta property="og:title" content="${HEADLINE}">`;
  const article = `<meta property="og:title" content="${SEARCH_TITLE}"><script type="application/ld+json">{"@type":"NewsArticle","url":"${URL}","headline":"${HEADLINE}"}</script>`;
  const trails = [
    `<nav class="breadcrumb">${TRAIL}<h1>${SEARCH_TITLE}</h1></nav>`,
    `<div>${TRAIL}<h1>${SEARCH_TITLE}</h1></div>`,
    `<div><div><a href="/news"><span>News</span></a></div><div><a href="/news/2024">2024</a></div><div><h1>${SEARCH_TITLE}</h1></div></div>`,
  ];
  for (const trail of trails) {
    assert.equal(readTitle(preview, trail), HEADLINE);
    assert.equal(readTitle(article, trail), HEADLINE);
  }
});

test('title: a heading that ends a breadcrumb is the title if the page states no other', () => {
  const trail = `<nav class="breadcrumb">${TRAIL}<h1>${SEARCH_TITLE}</h1></nav>`;
  assert.equal(readTitle('', trail), SEARCH_TITLE);
  assert.equal(readTitle(`<meta property="og:title" content="${SEARCH_TITLE}">`, trail), SEARCH_TITLE);
});

test('title: a heading below a row of links is no part of a breadcrumb', () => {
  const preview = `<meta property="og:title" content="${HEADLINE}">`;
  const rows = [
    `<div>${TRAIL}</div><h1>${SEARCH_TITLE}</h1>`,
    `<div><a href="/topics/may">May</a> <a href="/topics/garden">Garden</a> <h1>${SEARCH_TITLE}</h1></div>`,
    `<div>Our topic: <a href="/">Start</a> <a href="/news">News</a> <h1>${SEARCH_TITLE}</h1></div>`,
  ];
  for (const row of rows) assert.equal(readTitle(preview, row), SEARCH_TITLE);
});

test('title: a preview that only names the site loses to a document title that says more', () => {
  const preview = '<meta property="og:title" content="Daily Planet">';
  const url = 'https://forum.dailyplanet.com/categories/garden';
  assert.equal(
    readPageFields(`<title>Garden questions and answers</title>${preview}`, url).title,
    'Garden questions and answers',
  );
  assert.equal(
    readPageFields(`<title>Daily Planet – slow news from Metropolis</title>${preview}`, 'https://www.dailyplanet.com/')
      .title,
    'Daily Planet – slow news from Metropolis',
  );
});

test('title: on a front page the document title outranks a slogan in the preview', () => {
  const html =
    '<title>Acme - Free Project Management</title><meta property="og:title" content="We help people to work">';
  assert.equal(readPageFields(html, 'https://www.acme.com/').title, 'Acme - Free Project Management');
});

test('title: a section inside the heading is left out if the page states the title without it', () => {
  const heading = '<h1><span class="kicker">Waterways</span> <span>Why the lock stays shut</span></h1>';
  const read = (title: string): string | null =>
    readPageFields(
      `<title>${title}</title><meta property="og:site_name" content="Daily Planet"><article>${heading}<p>Some text of the article.</p></article>`,
    ).title;
  assert.equal(read('Why the lock stays shut | Daily Planet'), 'Why the lock stays shut');
  assert.equal(read('Why the lock stays shut | Blog'), 'Why the lock stays shut');
  assert.equal(read('Waterways: Why the lock stays shut'), 'Waterways: Why the lock stays shut');
});

test('title: a page of a wiki has its name as in the heading, without the name of the wiki', () => {
  const page = '<title>frostplan [Quay Wiki]</title><h1>Frostplan</h1><p>Some text of the page.</p>';
  assert.equal(readPageFields(page, 'https://wiki.example.org/frostplan').title, 'Frostplan');
});

test('title: a small heading cuts off an unknown site, if there is no larger one', () => {
  const read = (heading: string): string | null =>
    readPageFields(`<title>Why the lock stays shut - Gulls and Ropes</title>${heading}<p>Some text.</p>`).title;
  assert.equal(read('<h4>Why the lock <i>stays</i> shut</h4>'), 'Why the lock stays shut');
  assert.equal(read('<h3>Gulls</h3>'), 'Why the lock stays shut - Gulls and Ropes');
});
