import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFields } from './read-fields.test-helper.ts';

const LD = (author: string): string =>
  `<title>A page of the tests</title><h1>A page of the tests</h1><script type="application/ld+json">{"@type":"Article","headline":"A page of the tests","author":${author}}</script>`;
const SHOWN = (byline: string, lang = 'en'): string =>
  `<html lang="${lang}"><title>A page of the tests</title><article><h1>A page of the tests</h1>${byline}<p>Some text of the article.</p></article>`;

/** What the case shows, the page, its author. */
const AUTHORS: readonly (readonly [string, string, string | null])[] = [
  ['JSON-LD person', LD('{"@type":"Person","name":"Jane Doe"}'), 'Jane Doe'],
  ['JSON-LD string', LD('"Jane Doe"'), 'Jane Doe'],
  ['JSON-LD people', LD('[{"name":"Jane Doe"},{"name":"John Roe"}]'), 'Jane Doe, John Roe'],
  ['JSON-LD names apart', LD('{"givenName":"Jane","familyName":"Doe"}'), 'Jane Doe'],
  ['JSON-LD address', LD('"https://example.com/author/jane"'), null],
  ['JSON-LD organisation', LD('{"@type":"Organization","name":"Acme Institute"}'), 'Acme Institute'],
  ['an organisation and a person shown', LD('{"@type":"Organization","name":"Acme Institute"}') + '<p class="byline">By <a rel="author" href="/author/jane-doe">Jane Doe</a></p>', 'Jane Doe'],
  ['meta', '<title>A page</title><meta name="author" content="Jane Doe">', 'Jane Doe'],
  ['meta with By and a role', '<meta name="author" content="By Jane Doe, Staff Writer">', 'Jane Doe'],
  ['two people in one meta', '<meta name="author" content="Jane Doe and John Roe">', 'Jane Doe, John Roe'],
  ['a degree behind the name', '<meta name="author" content="Jane Doe, MD">', 'Jane Doe, MD'],
  ['a profile address', '<meta property="article:author" content="https://www.facebook.com/jane">', null],
  ['admin', '<meta name="author" content="admin">', null],
  ['staff', '<meta name="author" content="Staff">', null],
  ['an e-mail address', '<meta name="author" content="jane@example.com">', null],
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
  ['a name that begins like a byline', LD('"Di Maria"'), 'Di Maria'],
  ['nobody', SHOWN(''), null],
]; // prettier-ignore

for (const [what, html, expected] of AUTHORS) {
  test(`author: ${what}`, () => {
    assert.equal(readFields(html).author, expected);
  });
}

test('author: what was refused stands in the evidence with its reason', () => {
  const { author } = readFields('<meta name="author" content="admin">').evidence;
  assert.equal(author.source, null);
  assert.deepEqual(author.rivals, [
    { source: 'meta:author', value: 'admin', reason: 'a generic word with nobody behind it' },
  ]);
});
