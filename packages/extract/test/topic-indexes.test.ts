import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../src/index.ts';

const TITLES = [
  'Squeaking bottom bracket after rain',
  'Which tyres for wet cobbles?',
  'Bar tape: cork or foam',
  'Show us your winter bike',
  'Rear derailleur skips in third gear',
];
const NAMES = ['marlow', 'kettle72', 'Ida', 'jenny', 'Oskar P'];

const BOARD = `<!doctype html><html lang="en"><head><title>Workshop - Wheelers</title></head><body><div id="page-header"><h1>Wheelers</h1><ul class="linklist"><li><a href="./index.php">Board index</a></li><li><a href="./ucp.php?mode=login">Login</a></li></ul></div>
<div id="page-body"><h2 class="forum-title"><a href="./viewforum.php?f=3">Workshop</a></h2><div class="action-bar"><a href="./posting.php?mode=post">New Topic</a><div class="pagination">87 topics <a href="./viewforum.php?f=3&start=25">2</a></div></div>
<div class="forumbg"><ul class="topiclist"><li class="header"><dl><dt>Topics</dt><dd class="posts">Replies</dd><dd class="views">Views</dd><dd class="lastpost">Last post</dd></dl></li></ul><ul class="topiclist topics">
${TITLES.map((title, i) => `<li class="row"><dl class="row-item"><dt><div class="list-inner"><a href="./viewtopic.php?f=3&t=${i + 10}" class="topictitle">${title}</a><br><div class="topic-poster">by <a href="./memberlist.php?u=${i}" class="username">${NAMES[i]}</a> » Mar ${i + 1}, 2021, 4:05 pm</div></div></dt><dd class="posts">${i * 7} <dfn>Replies</dfn></dd><dd class="views">${i * 131} <dfn>Views</dfn></dd><dd class="lastpost"><span><dfn>Last post</dfn> by <a href="./memberlist.php?u=9" class="username">${NAMES[4 - i]}</a><br>Mar 9, 2021, 8:12 pm</span></dd></dl></li>`).join('\n')}
</ul></div><div class="permissions"><h3>Forum permissions</h3><p>You cannot post new topics in this forum<br>You cannot reply to topics in this forum</p></div></div><div class="copyright">Powered by phpBB</div></body></html>`;

test('the main text of a board is the titles of its topics', () => {
  const { mainText, pageType } = extract(BOARD, { url: 'https://example.org/forum/viewforum.php?f=3' });
  assert.equal(pageType, 'forum');
  assert.equal(mainText, TITLES.join('\n'));
});

const BOARDS = [
  ['Workshop', 'Repairs, tools and spare parts'],
  ['Commuting', 'Bicycles for every day and any weather'],
  ['Touring', 'Routes, luggage and camp sites along the way'],
];

const INDEX = `<!doctype html><html lang="en"><head><title>Forums | Wheelers</title></head><body><header><nav><a href="/forums/">Forums</a><a href="/members/">Members</a></nav></header>
<div class="p-body"><h1 class="p-title-value">Forums</h1><div class="block--category"><h2 class="block-header"><a href="/forums/#club.1">The club</a></h2><div class="block-body">
${BOARDS.map(([name, about], i) => `<div class="node node--forum"><div class="node-body"><div class="node-main"><h3 class="node-title"><a href="/forums/x.${i + 5}/">${name}</a></h3><div class="node-description">${about}</div></div><div class="node-stats"><dl><dt>Threads</dt><dd>${i * 31 + 4}</dd></dl><dl><dt>Messages</dt><dd>${i * 210 + 9}</dd></dl></div><div class="node-extra"><a href="/threads/a.${i}/post-9">${TITLES[i]}</a><ul><li>Mar ${i + 1}, 2021</li><li><a href="/members/x.1/">${NAMES[i]}</a></li></ul></div></div></div>`).join('\n')}
</div></div></div></body></html>`;

test('the main text of an index of boards is their names and descriptions, under its headings', () => {
  const { mainText } = extract(INDEX, { url: 'https://example.org/forums/' });
  assert.equal(mainText, ['Forums', 'The club', ...BOARDS.flat()].join('\n\n'));
});
