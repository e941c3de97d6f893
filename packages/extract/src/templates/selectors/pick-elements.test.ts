import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SelectorBudgetExceeded } from '../format/template.ts';
import { extractPicked } from '../application/extract-picked.ts';
import { checkElementSelector, pickElements } from './pick-elements.ts';

const PAGE = `<!doctype html><html><head><title>Town</title></head><body><nav>Menu</nav><article id="a"><h1>Town</h1>
<p class="x">One <b class="ad">Buy</b></p><p>Two</p></article><table><tr class="row"><td>1</td><td>2</td></tr>
<tr class="row"><td>3</td><td>4</td></tr></table><div class="host"><template shadowrootmode="open"><p class="ad">Deep</p><i>Kept</i></template></div></body></html>`;

const pick = (include: readonly string[], exclude: readonly string[] = []): string =>
  /<body>([^]*)<\/body>/.exec(pickElements(PAGE, { include, exclude }))?.[1]?.replaceAll('\n', '') ?? '';

test('excluded elements are removed everywhere, and everything else is kept', () => {
  assert.equal(pickElements(PAGE, { include: [], exclude: [] }).includes('<b class="ad">Buy</b>'), true);
  const left = pickElements(PAGE, { include: [], exclude: ['nav', '.ad'] });
  assert.doesNotMatch(left, /Menu|Buy|Deep/);
  assert.match(left, /<title>Town<\/title>[^]*One [^]*Two[^]*<i>Kept<\/i>/);
});

test('the body becomes the outermost included elements, in page order', () => {
  assert.equal(
    pick(['p', 'h1']),
    '<h1>Town</h1><p class="x">One <b class="ad">Buy</b></p><p>Two</p><p class="ad">Deep</p>',
  );
  assert.equal(pick(['.x', '#a']).startsWith('<article id="a">'), true);
  assert.equal(pick(['.x'], ['b']), '<p class="x">One </p>');
  assert.equal(pick(['.nothing']), '');
});

test('included parts of tables are wrapped in one table', () => {
  const rows = '<tr class="row"><td>1</td><td>2</td></tr><tr class="row"><td>3</td><td>4</td></tr>';
  assert.equal(pick(['.row', 'nav']), `<nav>Menu</nav><table>${rows}</table>`);
});

test('positions in selectors count elements before any removal', () => {
  assert.match(pick(['article'], ['p:nth-of-type(1)']), /<h1>Town<\/h1><p>Two<\/p>/);
});

test('included elements are the whole main text, with the title from the head', () => {
  const { mainText, title, markdown } = extractPicked(
    PAGE,
    { include: ['nav', '.row'], exclude: [] },
    { formats: ['markdown'] },
  );
  assert.equal(title, 'Town');
  assert.match(mainText, /^Menu/);
  for (const cell of ['1', '2', '3', '4']) assert.ok(mainText.includes(cell) && markdown?.includes(cell), cell);
  assert.equal(extractPicked(PAGE, { include: ['.nothing'], exclude: [] }).mainText, '');
});

test('an included body is the whole page, with text outside elements', () => {
  assert.equal(
    extractPicked('<body>Loose text <p>and a paragraph.</p>', { include: ['body'], exclude: ['p'] }).mainText,
    'Loose text',
  );
});

test('invalid and unsupported selectors are refused', () => {
  for (const selector of ['', 'a[', 'a,', 'p::before', 'p:unknown', ':not(:not(:not(:not(:not(a)))))'])
    assert.throws(() => checkElementSelector(selector), Error, selector);
  for (const selector of ['a', '#a > .b ~ c', 'p:has(> a)', 'p:nth-child(2n + 1)', '[lang|=de]'])
    assert.doesNotThrow(() => checkElementSelector(selector), selector);
});

// Checks: threat-selectors
test('100,000 matching elements are handled, and selectors that take quadratic time are refused', () => {
  const many = `<body>${'<p>x</p>'.repeat(100_000)}</body>`;
  assert.match(pickElements(many, { include: [], exclude: ['p'] }), /<body><\/body>/);
  assert.equal(pickElements(many, { include: ['p'], exclude: [] }).length > 800_000, true);
  for (const selector of ['b ~ p', 'p:nth-last-child(3)', 'p:nth-of-type(7n)'])
    assert.throws(() => pickElements(many, { include: [], exclude: [selector] }), SelectorBudgetExceeded, selector);
});
