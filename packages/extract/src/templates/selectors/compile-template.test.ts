import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { compileTemplate } from './compile-template.ts';
import { PageIndex } from './page-index.ts';
import { readValues } from '../application/read-value.ts';
import { type Selector, SelectorBudgetExceeded, type Template, TemplateFault } from '../format/template.ts';

const PAGE = `<!doctype html><html lang="en"><head><title>T</title><meta property="og:title" content="Og title">
<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","headline":"H","author":[{"name":"Ann Lee"},{"@id":"#bo"}]},
{"@type":"Person","@id":"#bo","name":"Bo Ek"}]}</script></head>
<body><div id="main" class="post wide"><h1 class="t">One</h1><h1 class="t x">Two</h1><p data-k="a b">P1</p><p>P2 <b>bold</b></p></div>
<ul><li>a</li><li class="on">b</li><li>c</li></ul><custom-part itemprop="author">Cy</custom-part></body></html>`;

const tree = parseTree(PAGE);

/** All values that a selector gives on the page. */
function read(selector: Selector, page: ReturnType<typeof parseTree> = tree): string[] {
  const compiled = compileTemplate(createTemplate({ fields: { title: { selectors: [selector] } } }));
  return readValues(new PageIndex(page, compiled.wanted), compiled.fields.get('title')!.values[0]);
}

function createTemplate(parts: Partial<Template>): Template {
  return {
    hosts: ['example.org'],
    url_shapes: [],
    signature: null,
    fields: {},
    content: null,
    custom: [],
    invariants: { required: [], main_text_words: null },
    ...parts,
  };
}

describe('selectors', () => {
  /** CSS selector → texts of its matches. css-select handles the second half. */
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['h1', ['One', 'Two']],
    ['h1.t.x', ['Two']],
    ['#main > h1', ['One', 'Two']],
    ['body p', ['P1', 'P2 bold']],
    ['div.post p > b', ['bold']],
    ['ul > p', []],
    ['p[data-k]', ['P1']],
    ['p[data-k^="a"]', ['P1']],
    ['[itemprop="author"]', ['Cy']],
    ['custom-part[itemprop]', ['Cy']],
    ['li:nth-of-type(2)', ['b']],
    ['li:nth-child(3), li:first-child', ['a', 'c']],
    ['h1, li.on', ['One', 'Two', 'b']],
    ['custom-part', ['Cy']],
    ['li:not(.on)', ['a', 'c']],
    ['h1 + h1', ['Two']],
    ['li.on ~ li', ['c']],
    ['p:has(b)', ['P2 bold']],
    ['li:last-child', ['c']],
    ['p[data-k~="b"]', ['P1']],
    ['P[DATA-K="A B" i]', ['P1']],
  ];
  for (const [css, texts] of cases) {
    test(`css ${css}`, () => assert.deepEqual(read({ css }), texts));
  }

  /** XPath 1.0 as rule collections write it. */
  const paths: readonly (readonly [string, readonly string[]])[] = [
    ['//h1', ['One', 'Two']],
    ['//div[contains(@class, "post")]/h1[2]', ['Two']],
    ["//div[contains(concat(' ',normalize-space(@class),' '),' wide ')]//b", ['bold']],
    ["//meta[@property='og:title']/@content", ['Og title']],
    ["substring-before(//p[1], '1')", ['P']],
    ["//li[preceding-sibling::li[@class='on']]", ['c']],
    ['//h1 | //li[last()]', ['One', 'Two', 'c']],
    ['//b/ancestor::div/h1[1]', ['One']],
    ['/html/body/div/p[b]', ['P2 bold']],
    ['//H1[1]', ['One']],
    ["id('main')/h1[2] | id('none')", ['Two']],
    ['//li[lang("en")][2] | //b[not(lang("de"))]', ['bold', 'b']],
    ['//*[local-name() = "b" and name(..) = "p" and namespace-uri() = ""]', ['bold']],
    ['concat(normalize-space(//p[2]), count(//li), sum(//none))', ['P2 bold30']],
    ['//p[position() = last()]/text() | //comment() | //processing-instruction()', ['P2']],
    ['translate(string(//ul/li[boolean(@class)]), "b", "x")', ['x']],
    ['//li[number(string-length(.)) = round(1.2) and floor(1.9) < ceiling(1.1) and true() and not(false())][3]', ['c']],
    ['substring(substring-after(//h1[1], "O"), 1, 1)', ['n']],
    ['//li[3]/preceding::h1[1] | //b/ancestor-or-self::p', ['Two', 'P2 bold']],
    ['//ul/descendant-or-self::node()[self::li][2]', ['b']],
  ];
  for (const [xpath, texts] of paths) {
    test(`xpath ${xpath}`, () => assert.deepEqual(read({ xpath }), texts));
  }

  /** Paths matched on the flat tree; in parentheses, the XPath engine evaluates them. */
  const plain: readonly string[] = [
    '//h1[2]',
    '//H1[@class="t x"]',
    "//*[@id='main']//b",
    "//div[@id='main' and contains(@class,'wide')]/p",
    '//p[@data-k]',
    "//p[starts-with(@data-k, 'a')]",
    "//div[contains(concat(' ', @class, ' '), ' post ')]/h1[1]",
    "//*[contains(concat(' ', normalize-space(@class), ' '), ' pos ')]",
    '/html/body/ul/li[3] | //b',
    '//meta[@property = "og:title"]/@content',
    '//*[@itemprop]',
    '//body/*[@class]',
    '//ul/li[@class][1]',
    '//li[1][@class]',
  ];
  for (const xpath of plain) {
    test(`xpath ${xpath} gives the same as the XPath engine`, () => {
      const found = read({ xpath });
      assert.deepEqual(found, read({ xpath: `(${xpath})` }));
      assert.equal(found.length > 0, !/ pos |li\[1\]\[/.test(xpath));
    });
  }

  test('json_ld follows arrays and references', () => {
    assert.deepEqual(read({ json_ld: 'NewsArticle:author.name' }), ['Ann Lee', 'Bo Ek']);
    assert.deepEqual(read({ json_ld: '*:headline' }), ['H']);
    assert.deepEqual(read({ json_ld: 'Product:name' }), []);
  });

  test('values are read from attributes and processed in order', () => {
    const css = 'meta[property="og:title"]';
    assert.deepEqual(read({ css, attribute: 'content' }), ['Og title']);
    const post = [
      { op: 'strip_prefix', text: 'Og' },
      { op: 'strip_suffix', text: 'le' },
    ] as const;
    assert.deepEqual(read({ css, attribute: 'content', post }), ['tit']);
    assert.deepEqual(read({ css, attribute: 'content', post: [{ op: 'match', pattern: '(\\w+) (\\w+)', group: 2 }] }), [
      'title',
    ]);
    assert.deepEqual(read({ css, attribute: 'content', post: [{ op: 'match', pattern: 'none' }] }), []);
    assert.deepEqual(read({ css: 'title', post: [{ op: 'before', text: '|' }] }), ['T']);
  });
});

describe('errors name the path of the faulty selector', () => {
  const faults: readonly (readonly [Selector, RegExp])[] = [
    [{ css: 'div[' }, /^fields\.title\.selectors\[0\]\.css: /],
    [{ css: 'a:unknown-thing' }, /^fields\.title\.selectors\[0\]\.css: /],
    [{ css: 'p::before' }, /^fields\.title\.selectors\[0\]\.css: pseudo-element/],
    [{ xpath: '//div[' }, /^fields\.title\.selectors\[0\]\.xpath: /],
    [{ xpath: '//p[re:test(., "x")]' }, /xpath: XPath 1\.0 has no function re:test/],
    [{ css: 'p', xpath: '//p' }, /^fields\.title\.selectors\[0\]: needs exactly one/],
    [{}, /^fields\.title\.selectors\[0\]: needs exactly one/],
    [{ css: 'p', post: [{ op: 'match', pattern: '(a+)+$' }] }, /selectors\[0\]\.post\[0\]\.pattern: catastrophic/],
    [{ css: 'p', post: [{ op: 'match', pattern: '(x|a*)*b' }] }, /post\[0\]\.pattern: catastrophic/],
    [{ css: 'p', post: [{ op: 'match', pattern: '(?=a)b' }] }, /post\[0\]\.pattern: /],
    [{ css: 'p', post: [{ op: 'match', pattern: '(a)\\1' }] }, /post\[0\]\.pattern: /],
    [{ css: 'p', post: [{ op: 'match', pattern: 'a', group: 3 }] }, /post\[0\]\.pattern: the pattern has no group 3/],
  ];
  for (const [selector, message] of faults) {
    test(JSON.stringify(selector), () => {
      const template = createTemplate({ fields: { title: { selectors: [selector] } } });
      assert.throws(
        () => compileTemplate(template),
        (error) => error instanceof TemplateFault && message.test(error.message),
      );
    });
  }

  test('faulty selectors are refused in every part of a template', () => {
    const bad = { css: '>>' };
    const content = { include: [{ css: 'p' }], exclude: [{ css: 'p' }, bad], exclude_text: [] };
    assert.throws(() => compileTemplate(createTemplate({ content })), /^TemplateFault: content\.exclude\[1\]\.css/);
    const custom = [{ name: 'price', type: 'number', selectors: [bad] }] as const;
    assert.throws(
      () => compileTemplate(createTemplate({ custom })),
      /^TemplateFault: custom\[0\]\.selectors\[0\]\.css/,
    );
  });
});

describe('a selector that visits too many nodes exceeds its budget', () => {
  const large = parseTree(`<div>${'<i></i>'.repeat(100_000)}</div>`);
  for (const selector of [
    { css: 'i' },
    { css: 'i:not(.x)' },
    { css: 'i ~ i ~ i' },
    { css: 'i:nth-of-type(99999)' },
    { xpath: '//i' },
    { xpath: '//i[count(preceding::i) > 3]' },
    { xpath: '//i[. = "y"]' },
    { xpath: '//i[last()]' },
  ]) {
    test(JSON.stringify(selector), () => {
      assert.throws(() => read(selector, large), SelectorBudgetExceeded);
    });
  }

  test('a selector on a very deep page exceeds its budget', () => {
    const deep = parseTree('<div>'.repeat(100_000));
    for (const selector of [{ css: 'div div div p, div' }, { xpath: '//div[string(.)="x"]' }, { css: 'div:has(p)' }]) {
      assert.throws(() => read(selector, deep), SelectorBudgetExceeded);
    }
  });
});
