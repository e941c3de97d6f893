import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBlocks, listBlocks } from '../../content/blocks/blocks.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { readPosts, type Post } from './read-posts.ts';

const cases: readonly { readonly software: string; readonly post: string; readonly expected: Post }[] = [
  {
    software: 'phpBB',
    post:
      '<div id="p12" class="post bg2"><dl class="postprofile"><dt><a href="/u/7"><img src="a.png"></a>' +
      '<a href="/u/7" class="username">ada</a></dt><dd>Posts: 12</dd></dl>' +
      '<p class="author">by ada » Mon Mar 4, 2024 5:01 pm</p><div class="content">Text of the post.</div></div>',
    expected: { author: 'ada', day: '2024-03-04' },
  },
  {
    software: 'FluxBB',
    post: '<div id="p12" class="blockpost"><div class="postleft"><dl><dt><strong>ada</strong></dt><dd>Member</dd></dl></div>Text.</div>',
    expected: { author: 'ada', day: null },
  },
  {
    software: 'vBulletin 4',
    post:
      '<li class="postbitlegacy postcontainer"><span class="postdate"><span class="date">4th March 2024, 17:01</span></span>' +
      '<a class="username offline" href="/m/7"><strong>ada</strong></a><blockquote>Text.</blockquote></li>',
    expected: { author: 'ada', day: '2024-03-04' },
  },
  {
    software: 'vBulletin 3, where day and month could be exchanged',
    post: '<table id="post12"><tr><td class="thead">03-04-2024, 05:01 PM</td></tr><tr><td><a class="bigusername">ada</a></td><td>Text.</td></tr></table>',
    expected: { author: 'ada', day: null },
  },
  {
    software: 'XenForo',
    post: '<article class="message message--post" data-author="ada"><time datetime="2024-03-04T17:01:00+0100">Monday</time><p>Text.</p></article>',
    expected: { author: 'ada', day: '2024-03-04' },
  },
  {
    software: 'NodeBB',
    post: '<div component="post" data-username="ada"><span class="timeago" title="2024-03-04T16:01:00.000Z"></span><p>Text.</p></div>',
    expected: { author: 'ada', day: '2024-03-04' },
  },
  {
    software: 'schema.org with a person',
    post:
      '<div itemtype="http://schema.org/DiscussionForumPosting"><a itemprop="author"><span itemprop="name">ada</span> (5)</a>' +
      '<meta itemprop="datePublished" content="2024-03-04"><p>Text.</p></div>',
    expected: { author: 'ada', day: '2024-03-04' },
  },
];

for (const { software, post, expected } of cases) {
  test(`posts of ${software} have an author and a day`, () => {
    assert.deepEqual(listPosts(`<html lang="en"><body>${post}${post}</body></html>`), [expected, expected]);
  });
}

test('a single marked post is not a discussion', () => {
  assert.deepEqual(listPosts(cases[0].post), []);
});

test('a post without blocks is left out, and a reply inside a comment is a separate post', () => {
  const comment = (name: string, inner: string): string =>
    `<div itemtype="https://schema.org/Comment"><meta itemprop="author" content="${name}">${inner}</div>`;
  const page = comment('ada', `<p>First.</p>${comment('bea', '<p>Reply.</p>')}`) + comment('cid', '');
  assert.deepEqual(
    listPosts(page).map(({ author }) => author),
    ['ada', 'bea'],
  );
});

test('frequently asked questions without authors are not posts', () => {
  const question = '<div itemtype="https://schema.org/Question"><h3>Why?</h3><p>Because.</p></div>';
  assert.deepEqual(listPosts(question + question), []);
});

test('blog entries with ids like those of posts are not posts', () => {
  const entry = (id: number): string =>
    `<article id="post-${id}" class="post hentry"><h2>Title</h2><p>Text.</p></article>`;
  assert.deepEqual(listPosts(entry(12) + entry(13)), []);
});

test('a text too long for a name is not an author', () => {
  const post = (author: string): string =>
    `<article class="message--post" data-author="${author}"><p>Text.</p></article>`;
  assert.deepEqual(listPosts(post('ada') + post('a '.repeat(50)))[1], { author: null, day: null });
});

function listPosts(html: string): Post[] {
  const tree = parseTree(html);
  return [...readPosts(tree, listBlocks(findBlocks(tree))).values()];
}
