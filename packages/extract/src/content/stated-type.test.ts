import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageType } from '../types/extraction.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { extract } from '../pipeline/extract.ts';
import { readStatedType } from './stated-type.ts';

const data = (json: string): string => `<script type="application/ld+json">${json}</script>`;
const CAKE = '{"@type":"Recipe","name":"Tar cake","recipeIngredient":["200 g of treacle"]}';

const PAGES: readonly (readonly [string, string, PageType | undefined])[] = [
  ['one recipe', data(CAKE), 'article'],
  ['several recipes', data(`[${CAKE},${CAKE}]`), undefined],
  ['one recipe in its markup', '<div itemscope itemtype="http://schema.org/Recipe"><p>Treacle</p></div>', 'article'],
  ['a list of recipes in its markup', '<div itemtype="https://schema.org/Recipe"></div><div itemtype="https://schema.org/Recipe"></div>', undefined],
  ['a thread', data('{"@type":"DiscussionForumPosting"}'), 'forum'],
  ['a question with answers', '<html itemscope itemtype="https://schema.org/QAPage"><p>Why?</p>', 'forum'],
  ['a page of forum software', '<meta name="generator" content="Discourse 3.4.0 - https://discourse.example">', 'forum'],
  ['questions and answers of a company', data('{"@type":"FAQPage"}'), undefined],
  ['other software', '<meta name="generator" content="WordPress 6.4">', undefined],
  ['an article', data('{"@type":"Article"}'), undefined],
  ['data in pieces', data('{"@type":"Recipe","recipeIngredient"'), undefined],
]; // prettier-ignore

for (const [what, html, expected] of PAGES)
  test(`stated type of a page: ${what}`, () => assert.equal(readStatedType(parseTree(html)), expected));

test('a page without text has the stated type', () => {
  assert.equal(extract('<meta name="generator" content="Flarum">').pageType, 'forum');
});
