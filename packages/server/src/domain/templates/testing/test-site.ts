/** An invented news site whose pages share a layout. */

export interface TestPage {
  readonly url: string;
  readonly html: string;
  readonly title: string;
  readonly author: string;
  readonly day: string;
  readonly text: string;
}

const AUTHORS = ['Mara Lindqvist', 'Tomas Okafor', 'Ines Carvalho', 'Jonas Weber'];
const SUBJECTS = [
  'harbour',
  'market',
  'library',
  'railway',
  'orchard',
  'theatre',
  'observatory',
  'bridge',
  'mill',
  'school',
];
const DEEDS = [
  'opens again after a long repair',
  'gets a new roof this winter',
  'draws more visitors than ever',
  'is to be sold to the town',
  'keeps its old clock',
];

/** Class names before and after a relaunch. */
const NAMES = {
  first: {
    wrap: 'story-page',
    head: 'story-title',
    by: 'story-author',
    body: 'story-text',
    more: 'story-related',
    date: 'story-date',
  },
  second: {
    wrap: 'piece',
    head: 'headline',
    by: 'writer-name',
    body: 'piece-copy',
    more: 'next-reads',
    date: 'piece-day',
  },
} as const;

export type TestLayout = keyof typeof NAMES;

/** Equal indexes give equal stories. */
export function makeTestPage(index: number, layout: TestLayout = 'first', host = 'news.example.com'): TestPage {
  const subject = SUBJECTS[index % SUBJECTS.length]!;
  const deed = DEEDS[index % DEEDS.length]!;
  const author = AUTHORS[index % AUTHORS.length]!;
  const title = `The ${subject} number ${index} ${deed}`;
  const day = `2025-0${(index % 9) + 1}-1${index % 10}`;
  const paragraphs = [0, 1, 2, 3, 4].map((part) => makeParagraph(subject, index, part));
  const names = NAMES[layout];
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('\n');
  const article = `<h1 class="${names.head}">${title}</h1>
<div class="byline">By <span class="${names.by}">${author}</span>, <time class="${names.date}" datetime="${day}">${day}</time></div>
<div class="${names.body}">${body}
<div class="${names.more}"><h3>Read also</h3><ul>${[1, 2, 3].map((step) => `<li><a href="/news/story-${index + step}">The ${SUBJECTS[(index + step) % 10]} and what came of it ${index + step}</a></li>`).join('')}</ul></div>
</div>`;
  const shell = layout === 'first' ? article : `<div class="shell">${article}</div>`;
  const html = `<!doctype html><html lang="en"><head><title>${title} | The Valley Post</title><meta charset="utf-8"></head>
<body><header class="top"><a href="/">The Valley Post</a><nav><ul><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav></header>
<div class="${names.wrap}">${shell}</div>
<section class="weather"><h2>Weather</h2><table><thead><tr><th>Day</th><th>Sky</th></tr></thead><tbody><tr><td>Today</td><td>clear</td></tr></tbody></table></section>
<section class="search"><form action="/search"><fieldset><label for="q">Search</label><input id="q"><select><option>All</option></select><button>Go</button></fieldset></form></section>
<section class="gallery"><figure><picture><img src="/a.jpg" alt=""></picture><figcaption>The valley</figcaption></figure><dl><dt>Mail</dt><dd>post</dd></dl></section>
<aside class="subscribe"><p>Subscribe to our letter and read the best stories of the valley every Friday morning, free of charge and without advertising.</p></aside>
<footer><p>© The Valley Post, all rights reserved. Printed and published in the valley since 1921.</p></footer></body></html>`;
  return {
    url: `https://${host}/news/the-${subject}-${index}-story`,
    html,
    title,
    author,
    day,
    text: paragraphs.join('\n\n'),
  };
}

function makeParagraph(subject: string, index: number, part: number): string {
  const openings = [
    'On a cold morning',
    'For many years',
    'According to the council',
    'Most people here agree that',
    'In the end',
  ];
  return `${openings[part]} the ${subject} of quarter ${index * 7 + part} was seen differently by those who live beside it, and the ${SUBJECTS[(index + part) % 10]} keeper said that nobody had expected the work of ${index + part + 2} weeks to change so much about the street, its ${SUBJECTS[(index * 3 + part) % 10]} and the people who pass it daily.`;
}
