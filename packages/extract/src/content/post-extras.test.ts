import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { findBlocks } from './blocks/blocks.ts';
import { findPostExtras } from './post-extras.ts';

const FIRST = '<div class="post"><p>How many coats of tar does a wet hull need before the winter?</p></div>';
const writeReply = (html: string): string => `<div class="post">${html}<p>Two, and a week between them.</p></div>`;

/** The reply to a post, and its texts that are left out. */
const REPLIES: readonly (readonly [string, string, readonly string[]])[] = [
  ['a quote with its author', '<blockquote><cite>rosa wrote:</cite><p>How many coats of tar does a wet hull need</p></blockquote>', ['rosa wrote:', 'How many coats of tar does a wet hull need']],
  ['a quote with a link to expand it', '<div class="bbCodeBlock--quote"><p>Rosa said:</p><p>before the winter?</p><a>Click to expand...</a></div>', ['Rosa said:', 'before the winter?', 'Click to expand...']],
  ['a citation beside the quote', '<div class="quotetitle">Rosa schrieb:</div><div class="quotecontent">before the winter?</div>', ['Rosa schrieb:', 'before the winter?']],
  ['a quote from elsewhere', '<blockquote><p>Tar is made of pine, slowly, in a pit.</p></blockquote>', []],
  ['an answer in the quote', '<blockquote>Rosa: before the winter? Never, because the hull stays wet until May at the earliest.</blockquote>', []],
  ['a signature', '<div class="signature">Smooth seas.</div>', ['Smooth seas.']],
  ['facts about the author', '<dl class="user_info"><dt>Posts</dt><dd>17</dd></dl>', ['Posts', '17']],
  ['a long text in an element named after the author', `<div class="user-details"><p>${'One coat in May is enough. '.repeat(9)}</p></div>`, []],
  ['the day of a post with its label', '<p>Verfasst am: Do Mai 03, 2018 10:12</p>', ['Verfasst am: Do Mai 03, 2018 10:12']],
  ['the number and day of a post', '<p>#2 05-03-2018, 11:12 AM</p>', ['#2 05-03-2018, 11:12 AM']],
  ['a speaker and a day', '<p>Rosa says:</p><p>Sat, Jun 18 2005, 10:24 AM</p>', ['Rosa says:', 'Sat, Jun 18 2005, 10:24 AM']],
  ['what readers can do with a post', '<p><a href="#">Antworten mit Zitat</a></p><p>12 Likes 3 Shares</p>', ['Antworten mit Zitat', '12 Likes 3 Shares']],
  ['heads of the columns of posts', '<table><tr><th>Author</th><th>Message</th></tr><tr><td>Author</td><td>yes</td></tr></table>', ['Author', 'Message']],
  ['a quote with its day', '<blockquote><p>Tar is made of pine.</p><p>Sat, Jun 18 2005, 10:24 AM</p></blockquote>', []],
  ['a post that begins like such lines', '<p>Posted from the quay: two coats at 10:30 on Sunday, and one more in May.</p>', []],
  ['a name that contains that of a signature', '<p class="sigma">Sigma</p>', []],
]; // prettier-ignore

for (const [what, html, expected] of REPLIES) {
  test(`extras of posts: ${what}`, () => {
    const tree = parseTree(`<main>${FIRST}${writeReply(html)}</main>`);
    const blocks = findBlocks(tree);
    const marks = findPostExtras(tree, blocks) ?? new Uint8Array(blocks.count);
    const texts = Array.from(marks, (mark, block) => (mark === 1 ? readBlockText(tree, blocks, block) : ''));
    assert.deepEqual(
      texts.filter((text) => text !== ''),
      expected,
    );
  });
}

test('extras of posts: quotes in posts that are written as quotes', () => {
  const [first, second] = [FIRST, writeReply('<blockquote>Rosa: before the winter?</blockquote>')].map((post) =>
    post.replace('<div class="post">', '<blockquote class="postcontent">').replace(/<\/div>$/, '</blockquote>'),
  );
  const tree = parseTree(`<main>${first}${second}</main>`);
  assert.deepEqual(Array.from(findPostExtras(tree, findBlocks(tree))!), [0, 1, 0]);
});
