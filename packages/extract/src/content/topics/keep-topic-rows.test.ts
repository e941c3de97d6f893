import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../../pipeline/extract.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import type { PageType } from '../../types/extraction.ts';
import { readBlockText } from '../blocks/block-text.ts';
import { findBlocks, STRIDE, TOKENS } from '../blocks/blocks.ts';
import { keepTopicRows } from './keep-topic-rows.ts';

const TOPICS = [
  { id: 11, title: 'Squeaking bottom bracket after rain', by: 'marlow', last: 'jenny', replies: 12, views: '3.4K' },
  { id: 12, title: 'Which tyres for wet cobbles?', by: 'kettle72', last: 'marlow', replies: 4, views: '129' },
  { id: 13, title: 'Bar tape: cork or foam', by: 'Ida', last: 'Oskar P', replies: 37, views: '2,100' },
  { id: 14, title: 'Rear derailleur skips in third gear', by: 'jenny', last: 'Ida', replies: 0, views: '18' },
];
const TITLES = TOPICS.map(({ title }) => title);
const BOARDS = [
  { id: 5, title: 'Workshop', about: 'Repairs, tools and spare parts' },
  { id: 6, title: 'Commuting', about: 'Bicycles for every day and any weather' },
  { id: 7, title: 'Touring', about: 'Routes, luggage and camp sites along the way' },
];
const NAMES_AND_TEXTS = BOARDS.flatMap(({ title, about }) => [title, about]);
const POST =
  'I had the same noise last winter. Take the cranks off, clean the shell, and put new grease on the threads. ';

type Topic = (typeof TOPICS)[number];
type Board = (typeof BOARDS)[number];

/** Software, address of the page, HTML before the rows, a row, HTML after the rows. */
const INDEXES: readonly (readonly [string, string, string, (topic: Topic) => string, string])[] = [
  [
    'phpBB 2',
    '/viewforum.php?f=1',
    '<table><tr><th>Topics</th><th>Replies</th><th>Author</th><th>Views</th><th>Last post</th></tr>',
    ({ id, title, by, last, replies, views }) =>
      `<tr><td><img></td><td><a href="viewtopic.php?t=${id}&amp;sid=9d3e" class="topictitle">${title}</a></td><td>${replies}</td><td><a href="profile.php?u=${id}">${by}</a></td><td>${views}</td><td>Mar 13, 2008 7:32 pm<br>${last} <a href="viewtopic.php?p=7${id}#7${id}"><img></a></td></tr>`,
    '</table><table><tr><td>New posts</td><td>No new posts</td></tr></table><p>You cannot post new topics in this forum<br>You cannot reply to topics in this forum<br>You cannot edit your posts in this forum</p>',
  ],
  [
    'phpBB 3',
    '/forum/viewforum.php?f=3',
    '<ul><li class="header"><dl><dt>Topics</dt><dd>Replies</dd><dd>Views</dd><dd>Last post</dd></dl></li></ul><ul>',
    ({ id, title, by, last, replies, views }) =>
      `<li class="row"><dl><dt><div class="list-inner"><a href="./viewtopic.php?f=3&t=${id}">${title}</a><div class="topic-poster">by <a href="./memberlist.php?u=${id}">${by}</a> » Mar 3, 2021</div></div></dt><dd>${replies} <dfn>Replies</dfn></dd><dd>${views} <dfn>Views</dfn></dd><dd><span><dfn>Last post</dfn> by <a href="./memberlist.php?u=9">${last}</a><br>Mar 3, 2021, 8:12 pm</span></dd></dl></li>`,
    '</ul><h3>Who is online</h3><p>Users browsing this forum: Ida, marlow and 3 guests</p>',
  ],
  [
    'XenForo',
    '/forums/workshop.7/',
    '<div class="structItemContainer">',
    ({ id, title, by, last, replies, views }) =>
      `<div class="structItem"><div class="cell--icon"><a href="/members/u.${id}/">${by.charAt(0)}</a></div><div class="cell--main"><div><a href="/threads/a-b.${id}/">${title}</a></div><ul><li><a href="/members/u.${id}/">${by}</a></li><li><a href="/threads/a-b.${id}/">Mar 3, 2021</a></li></ul><span><a href="/threads/a-b.${id}/page-2">2</a></span></div><div class="cell--meta"><dl><dt>Replies</dt><dd>${replies}</dd></dl><dl><dt>Views</dt><dd>${views}</dd></dl></div><div class="cell--latest"><a href="/threads/a-b.${id}/latest">Today at 8:12</a><div><a href="/members/x.3/">${last}</a></div></div></div>`,
    '</div>',
  ],
  [
    'SMF',
    '/index.php?board=4.0',
    '<table><thead><tr><th></th><th>Subject / Started by</th><th>Replies / Views</th><th>Last post</th></tr></thead><tbody>',
    ({ id, title, by, last, replies, views }) =>
      `<tr><td class="subject"><div><a href="/index.php?topic=${id}.0">${title}</a><p>Started by <a href="/index.php?action=profile;u=1">${by}</a></p></div></td><td>${replies} Replies<br>${views} Views</td><td>March 03, 2021, 09:14:22 PM<br>by <a href="/index.php?action=profile;u=3">${last}</a></td></tr>`,
    '</tbody></table><p>Normal Topic<br>Hot Topic</p>',
  ],
  [
    'Discourse',
    '/c/workshop/5',
    '<table><thead><tr><th>Topic</th><th></th><th>Replies</th><th>Views</th><th>Activity</th></tr></thead><tbody>',
    ({ id, title, replies, views }) =>
      `<tr><td class="main-link"><span><a href="https://example.org/t/a-b/${id}">${title}</a></span></td><td><a href="/u/x"><img></a></td><td>${replies}</td><td>${views}</td><td>Mar 3, 2021</td></tr>`,
    '</tbody></table>',
  ],
  [
    'Invision',
    '/forum/7-workshop/',
    '<ol>',
    ({ id, title, by, last, replies, views }) =>
      `<li><div class="main"><h4><a href="/topic/${id}-a-b/">${title}</a></h4><div>By <a href="/profile/${id}-x/">${by}</a>, <time>March 3</time></div></div><ul><li><span>${replies}</span> <span>replies</span></li><li><span>${views}</span> <span>views</span></li></ul><ul><li><a href="/profile/9-y/">${last}</a></li><li><a href="/topic/${id}-a-b/?do=getLastComment">March 3</a></li></ul></li>`,
    '</ol>',
  ],
];

for (const [software, address, before, row, after] of INDEXES) {
  test(`titles of topics are kept, and counts, names and headers left out: ${software}`, () => {
    const html = `<h1>Wheelers</h1>${before}${TOPICS.map(row).join('')}${after}`;
    const { raised, unchanged } = keep(html, { url: `https://example.org${address}` });
    assert.deepEqual(raised, TITLES);
    assert.deepEqual(unchanged, ['Wheelers']);
  });
}

test('names and descriptions of boards are kept, and names of their groups', () => {
  const row = ({ id, title, about }: Board): string =>
    `<tr><td><img></td><td><a href="forum.jsp?forum=${id}">${title}</a><p>${about}</p></td><td>754 / 2,831</td><td>Mar 4, 2016 11:57 PM<br>by: <a href="thread.jsp?forum=${id}&message=9">jenny »</a></td></tr>`;
  const html = `<table><tr><td></td><td>FORUM</td><td>TOPICS / MESSAGES</td><td>LAST POST</td></tr><tr><td colspan="4">The club</td></tr>${BOARDS.map(row).join('')}</table>`;
  assert.deepEqual(keep(html).raised, ['The club', ...NAMES_AND_TEXTS]);
});

test('excerpts of topics are kept with their titles, also in several paragraphs', () => {
  const row = ({ id, title, by, replies }: Topic): string =>
    `<li><div class="stats"><div>Comments</div><div>${replies}</div></div><div class="item"><div><a href="/discussion/${id}/a-b">${title}</a></div><div>${replies} comments by <a href="/profile/${id}">${by}</a></div><p>Hello,</p><p>${POST}</p><a href="/discussion/${id}/a-b">Read more</a></div></li>`;
  const { raised, unchanged } = keep(`<ul>${TOPICS.map(row).join('')}</ul>`);
  assert.deepEqual(
    raised,
    TITLES.flatMap((title) => [title, POST.trim()]),
  );
  assert.deepEqual(unchanged, ['Hello,', 'Hello,', 'Hello,', 'Hello,']);
});

const RELATED = `<table>${TOPICS.map(
  ({ id, title, last, replies }) =>
    `<tr><td><a href="/threads/a-b.${id}/">${title}</a></td><td><a href="/members/x/">${last}</a></td><td>${replies}</td></tr>`,
).join('')}</table>`;

const UNCHANGED: readonly (readonly [string, string, string, PageType?])[] = [
  ['related topics below the posts of a topic', `<p>${POST.repeat(8)}</p>${RELATED}`, ''],
  ['related topics below a short post at the address of a topic', `<p>Thanks!</p>${RELATED}`, '/threads/noise.9/'],
  ['an article with topics in its margin', `${RELATED}<p>Short.</p>`, '/2024/03/spring', 'article'],
  [
    'posts with links to themselves',
    TOPICS.map(
      ({ id, by, replies }) =>
        `<div class="post"><a href="/threads/noise.9/post-${id}">#${id}</a><a href="/members/x/">${by}</a><div>${replies}</div><p>${POST}</p><a href="/threads/noise.9/reply?quote=${id}">Reply</a></div>`,
    ).join(''),
    '',
  ],
  [
    'products of a category',
    `<ul>${TOPICS.map(({ id, title, replies }) => `<li><a href="/category/tyres/${id}">${title}</a><div>${replies}</div></li>`).join('')}</ul>`,
    '/category/tyres/',
    'listing',
  ],
  ['two rows', RELATED.replaceAll(/(?:<tr>(?:(?!<tr>).)*<\/tr>){2}(?=<\/table>)/g, ''), ''],
];

for (const [name, html, address, pageType] of UNCHANGED) {
  test(`probabilities do not change: ${name}`, () => {
    const page = { url: address === '' ? '' : `https://example.org${address}`, ...(pageType && { pageType }) };
    const { raised, unchanged, all } = keep(html, page);
    assert.deepEqual(raised, []);
    assert.equal(unchanged.length, all);
  });
}

/** Texts with a raised probability, and texts with an unchanged one. */
function keep(
  html: string,
  { url = '', pageType = 'forum' }: { readonly url?: string; readonly pageType?: PageType } = {},
): { raised: string[]; unchanged: string[]; all: number } {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const probabilities = new Float32Array(blocks.count).fill(0.5);
  const words = Float64Array.from(probabilities, (_, block) => blocks.rows[block * STRIDE + TOKENS]);
  keepTopicRows(tree, blocks, { url, pageType }, probabilities, words, () => false);
  const list = (matches: (probability: number) => boolean): string[] =>
    [...probabilities.keys()]
      .filter((block) => matches(probabilities[block]))
      .map((block) => readBlockText(tree, blocks, block));
  return { raised: list((p) => p > 0.5), unchanged: list((p) => p === 0.5), all: blocks.count };
}

test('an index of topics has neither author nor day', () => {
  const rows = [1, 2, 3, 4, 5, 6].map(
    (n) =>
      `<tr><td><a href="/viewtopic.php?t=${n}">Topic ${n} about tar and hemp ropes</a></td><td>${n * 3}</td><td>by <a class="username" href="/u/${n}">user${n}</a> <time datetime="2018-05-0${n}">May ${n}</time></td></tr>`,
  );
  const html = `<title>Ropes and knots</title><meta name="generator" content="phpBB"><h1>Ropes and knots</h1><table>${rows.join('')}</table>`;
  const page = extract(html, { url: 'https://forum.example/viewforum.php?f=3' });
  assert.match(page.mainText, /Topic 3 about tar/);
  assert.deepEqual([page.author, page.publishTime, page.pageType], [null, null, 'forum']);
});
