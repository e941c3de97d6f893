import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { findBlocks } from '../blocks/blocks.ts';
import { buildScopes } from '../blocks/scopes.ts';
import { LEXICON, WORD_LEXICON } from '../model/shipped-model.ts';
import { describeLikely, LIKELY_FEATURES } from './likely-features.ts';
import { describePage, PAGE_FEATURES } from './page-features.ts';
import { findGroups } from './group-features.ts';
import { viewPage, type PageView } from './page-view.ts';

const PAGE = `<!doctype html><html><head><title>About us</title>
  <script type="application/ld+json">{"@graph": [{"@type": "Offer"}, {"@type": ["Offer", "Thing"]}, {"@type": "OfferCatalog"}]}</script>
  </head><body><h1>Our team</h1><p class="price">Five euros a day</p><ul><li><a href="/a">Terms and privacy</a></li></ul></body></html>`;

function view(url: string): PageView {
  const tree = parseTree(PAGE);
  const blocks = findBlocks(tree);
  return viewPage(tree, blocks, buildScopes(tree, blocks, LEXICON), url, WORD_LEXICON);
}

function describe(probabilities: readonly number[]): Record<string, number> {
  const values = describeLikely(view(''), Float32Array.from(probabilities));
  return Object.fromEntries(LIKELY_FEATURES.map((name, i) => [name, values[i]]));
}

test('the likely content is described by what is probable, not by all of the page', () => {
  const content = describe([1, 1, 0]);
  assert.equal(content['likely.links'], 0);
  assert.ok(Math.abs(content['likely.price'] - 4 / 6) < 1e-6);
  assert.ok(Math.abs(content['likely.share'] - 6 / 9) < 1e-6);
  assert.equal(content['likely.headings'], 0.5);
  const menu = describe([0, 0, 1]);
  assert.equal(menu['likely.linkBlocks'], 1);
  assert.equal(menu['likely.price'], 0);
});

test('a page of which nothing is likely has only zeros', () => {
  assert.deepEqual([...new Set(Object.values(describe([0, 0, 0])))], [0]);
});

test('address, title, first heading and declared types tell of the type of the page', () => {
  const page = view('https://docs.example.org/team/contact-us-2?x=1');
  const values = describePage(page, findGroups(page));
  const of = (name: string): number => values[PAGE_FEATURES.indexOf(name)];
  assert.deepEqual(
    ['title.company', 'title.list', 'title.words', 'h1.company', 'h1.words', 'url.lastWords', 'url.lastDigits'].map(of),
    [1, 0, 2, 1, 2, 2, 1],
  );
  assert.deepEqual(['url.in.host', 'url.in.query', 'url.in.company', 'url.in.list'].map(of), [1, 1, 1, 0]);
  assert.ok(Math.abs(of('schema.offer') - Math.log1p(2)) < 1e-6);
  assert.ok(of('schema.collection') > 0);
  assert.equal(of('schema.product'), 0);
});
