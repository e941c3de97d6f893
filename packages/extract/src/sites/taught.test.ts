import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { extractTree as extractAlone } from '../pipeline/extract.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { extractTree } from './extract-on-site.ts';
import { markPage, outlinePage } from './mark-page.ts';
import { gatherTaught, type MarkedPage, type TaughtPage, type TaughtSite } from './taught-site.ts';

const NAMES = ['harvest', 'cellar', 'vintage', 'barrel', 'orchard'];

/** A story, a teaser that the model keeps, and specifications that it leaves out. */
function makePage(name: string): string {
  const story = Array.from(
    { length: 3 },
    (_, part) =>
      `<p class="text">Part ${part} of the story of the ${name} tells how the people of the valley worked through the long
      summer, and what they learned about the ${name} when the rain came, ${part + 2} weeks late.</p>`,
  );
  return `<title>The ${name}</title><nav class="menu"><a href="/">Home</a> <a href="/shop">Shop</a></nav>
    <div class="story"><h1>The ${name}</h1>${story.join('')}<div class="teaser"><p>Readers of the ${name} also liked what our
    reporters wrote about the old mill by the river and the family that owns it.</p></div></div>
    <ul class="facts"><li>Made of ${name}</li><li>Length ${name.length} m</li></ul><footer class="foot">Imprint</footer>`;
}

/** As a person marks a page: the teaser is no content, the facts are. */
function mark(html: string, isContent = (text: string): boolean => !text.startsWith('Readers of')): MarkedPage {
  const tree = parseTree(html);
  const marks = outlinePage(tree).map(({ id, text }): [string, boolean] => [
    id,
    isContent(text) && !/^(?:Home|Imprint)/.test(text),
  ]);
  const { page, unknown } = markPage(tree, new Map(marks));
  assert.deepEqual(unknown, []);
  return page;
}

function teach(pages: readonly MarkedPage[], shape = '/{slug}'): TaughtSite {
  return gatherTaught(pages.map((marks) => ({ shape, marks })));
}

function read(html: string, taught?: TaughtSite): string {
  return extractTree(parseTree(html), { taught }).mainText;
}

test('two marked pages decide over the others, one decides nothing', () => {
  const [page = '', ...others] = NAMES.map(makePage);
  assert.match(read(page), /Readers of the harvest/);
  assert.doesNotMatch(read(page), /Made of harvest/);
  const marks = others.map((other) => mark(other));
  assert.equal(read(page, teach(marks.slice(0, 1))), read(page));
  for (const count of [2, 4]) {
    const text = read(page, teach(marks.slice(0, count)));
    assert.doesNotMatch(text, /Readers of/);
    assert.match(text, /Made of harvest\s+Length 7 m/);
    assert.match(text, /Part 2 of the story/);
  }
});

test('where marked pages disagree, the page itself decides', () => {
  const [page = '', one = '', other = ''] = NAMES.map(makePage);
  const taught = teach([mark(one), mark(other, () => true)]);
  assert.match(read(page, taught), /Readers of the harvest/);
});

test('a class path of a single marked page counts only beside another page of its shape', () => {
  const marks: MarkedPage = { version: 1, paths: [[7, 1]] };
  const others: MarkedPage = { version: 1, paths: [[8, 0]] };
  const gather = (shape: string): TaughtSite =>
    gatherTaught([
      { shape: '/a', marks },
      { shape, marks: others },
    ]);
  assert.deepEqual(gather('/b').paths, []);
  assert.deepEqual(gather('/a').paths, [
    [7, 1, 1],
    [8, 0, 1],
  ]);
});

test('a page without any taught class path, and the confidence, are those of the page alone', () => {
  const [page = '', ...others] = NAMES.map(makePage);
  const taught = teach(others.map((other) => mark(other)));
  const other = page.replaceAll(/class="(\w+)"/g, 'class="other-$1"');
  const { isTaught, ...answer } = extractTree(parseTree(other), { taught });
  assert.equal(isTaught, false);
  assert.deepEqual(answer, extractAlone(parseTree(other)));
  assert.equal(extractTree(parseTree(page), { taught }).isTaught, true);
  assert.equal(extractTree(parseTree(page), { taught }).confidence, extractAlone(parseTree(page)).confidence);
});

test('marks are read by id; ids that the page does not have are named', () => {
  const tree = parseTree('<main><p>One text of a page.</p><p>One text of a page.</p><p>Another one.</p></main>');
  const ids = outlinePage(tree).map(({ id }) => id);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(
    outlinePage(tree).map(({ id }) => id),
    ids,
  );
  const marks = new Map([...ids.slice(0, 2).map((id): [string, boolean] => [id, true]), ['gone', false] as const]);
  const { page, unknown } = markPage(tree, marks);
  assert.deepEqual(unknown, ['gone']);
  assert.equal(page.paths.length, 1);
  assert.equal(page.paths[0]?.[1], 1);
});

test('an outline numbers elements as the page has them, without those in drawings', () => {
  const [block] = outlinePage(
    parseTree('<svg><g><path/></g></svg><template><i>x</i></template><p>Words of a page.</p>'),
  );
  // html, head, body, svg, template, p
  assert.equal(block?.node, 5);
});

test('outlines are bounded', () => {
  const items = Array.from({ length: 2_000 }, (_, item) => `<p>Words about item ${item}.</p>`);
  assert.equal(outlinePage(parseTree(items.join(''))).length, 1_500);
});

test('stored values of another form teach nothing', () => {
  const page = makePage('harvest');
  const expected = extractAlone(parseTree(page));
  const path = mark(page).paths[0]?.[0] ?? 0;
  const rows = fc.array(fc.oneof(fc.anything(), fc.tuple(fc.constant(path), fc.double(), fc.double())));
  fc.assert(
    fc.property(fc.oneof(fc.anything(), rows), (paths) => {
      const answer = extractTree(parseTree(page), { taught: { paths } as TaughtSite });
      assert.equal(answer.confidence, expected.confidence);
      const marks = { version: 1, paths } as unknown as MarkedPage;
      gatherTaught([{ shape: '', marks }, { shape: '', marks }, { shape: '', marks: paths } as TaughtPage]);
    }),
    { numRuns: 60 },
  );
});
