import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extract } from '../../pipeline/extract.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { TEXT } from '../../tree/tags.ts';
import type { Template } from '../format/template.ts';
import { induceTemplate } from '../induction/induce-template.ts';
import { SeededRandom } from '../induction/seeded-random.ts';
import { compileTemplate } from '../selectors/compile-template.ts';
import { PageIndex } from '../selectors/page-index.ts';
import { collectBlocks } from './content-blocks.ts';
import { extractWithTemplate } from './extract-with-template.ts';
import { readMain } from './main-content.ts';

const GOODS = ['kettle', 'lantern', 'basket', 'ladder', 'mirror', 'anvil', 'barrel', 'saddle'];

interface Page {
  readonly html: string;
  readonly url: string;
}

function learn(pages: readonly Page[]): Template {
  const learned = induceTemplate(pages);
  assert.ok(learned.ok);
  return learned.template;
}

function read({ html, url }: Page, template: Template) {
  return extractWithTemplate(html, compileTemplate(template), { url });
}

function flatten(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ');
}

/** A product: the name and the price stand beside the description, and prices differ only in their numbers. */
function makeProduct(index: number): Page & { readonly name: string; readonly price: string; readonly image: string } {
  const thing = GOODS[index % GOODS.length];
  const name = `Copper ${thing} No. ${index + 4}`;
  const price = `€ ${index * 13 + 19}.50`;
  const image = `/pictures/${thing}-${index}.jpg`;
  const html = `<!doctype html><html lang="en"><head><title>${name} | Smith &amp; Daughters</title></head><body>
<header><a href="/">Smith &amp; Daughters</a><nav><a href="/new">New</a><a href="/sale">Sale</a></nav></header>
<main><div class="product"><div class="gallery"><img src="${image}" alt="${name}" width="800" height="600"></div>
<div class="buy"><h1 class="product-name">${name}</h1><p class="cost">Price: <span class="amount">${price}</span> with tax</p>
<form><label>Quantity <input value="1"></label><button>Add to basket</button><a href="/wish">Add to wish list</a></form>
<ul class="promises"><li>Free delivery from € 50</li><li>Thirty days to send it back</li><li>Pay by card, invoice or in the shop</li><li>Questions? Call us from nine to five, we are glad to help you with your choice</li></ul></div>
<div class="details"><p>This ${thing} is made of one sheet of copper, hammered by hand in our workshop at the river, and holds for ${index + 30} years if it is polished.</p>
<p>Length ${index + 11} cm, weight ${index + 2} kg. A ${GOODS[(index + 1) % 8]} of the same metal goes well with it, as does a ${GOODS[(index + 3) % 8]}.</p></div>
<div class="more"><h2>You may also like</h2>${[1, 2, 3, 4].map((step) => `<a href="/goods/${index + step}">Copper ${GOODS[(index + step) % 8]} No. ${index + step + 4}</a> <span class="amount">€ ${(index + step) * 13 + 19}.50</span>`).join(' ')}</div></div></main>
<footer><p>Smith &amp; Daughters, coppersmiths since 1881.</p></footer></body></html>`;
  return { html, url: `https://smith.example/goods/copper-${thing}-${index}`, name, price, image };
}

/** An article whose links have the class of the links below it; `part` is appended to the text. */
function makeArticle(index: number, part = '', linked: readonly string[] = ['Acme', 'Borg']): Page {
  const [one, two] = linked;
  const thing = GOODS[index % GOODS.length];
  const title = `Why the ${thing} came back in year ${1950 + index}`;
  const text = [0, 1, 2, 3].map(
    (step) =>
      `<p>The makers of the ${GOODS[(index + step) % 8]}, among them <a class="company" href="/c/${one}">${one} Works ${index}</a> and <a class="company" href="/c/${two}">${two}</a>, sold ${index * 7 + step + 40} pieces in the spring, which was more than anybody at the fair expected after such a winter.</p>`,
  );
  const html = `<!doctype html><html lang="en"><head><title>${title}</title></head><body><header><a href="/">Metal Times</a></header>
<main><article><h1>${title}</h1><div class="content">${text.join('')}${part}
<div><p><a class="company" href="/share/mail">Send by mail</a></p><p><a class="company" href="/share/print">Print this page</a></p></div></div></article></main>
<footer><p>Metal Times is printed every week.</p></footer></body></html>`;
  return { html, url: `https://metal.example/stories/why-the-${thing}-came-back-${index}` };
}

describe('what a learned template may not remove', () => {
  test('the shop of four pages keeps name, price and picture', () => {
    const pages = [0, 1, 2, 3].map((index) => makeProduct(index));
    for (const [index, page] of pages.entries()) {
      const template = learn(pages.filter((_, other) => other !== index));
      const { extraction, found, faults } = read(page, template);
      assert.deepEqual(faults, []);
      assert.equal(extraction.title, page.name);
      const text = flatten(extraction.mainText);
      assert.ok(text.includes(page.price), text);
      assert.ok(flatten(`${extraction.title} ${text}`).includes(page.name));
      const generic = extract(page.html, { url: page.url });
      assert.deepEqual(extraction.images, generic.images);
      assert.ok(extraction.images.some((one) => one.in_main && one.url.endsWith(page.image)));
      assert.ok(flatten(found['main_text']).includes(page.price), 'its own text has the price too');
    }
  });

  test('share links with the class of links in the text: every word of the text stays', () => {
    const template = learn([0, 1, 2, 3].map((index) => makeArticle(index)));
    const page = makeArticle(6, '', ['Cobalt', 'Delta']);
    const { found, faults } = read(page, template);
    assert.deepEqual(faults, []);
    for (const words of ['among them Cobalt Works 6 and Delta, sold 82 pieces', 'and Delta, sold 85 pieces'])
      assert.ok(flatten(found['main_text']).includes(words), found['main_text'] ?? '');
  });

  test('code that some pages share stays', () => {
    const shared = '<pre><code>npm run polish --all</code></pre>';
    const template = learn([0, 1, 2, 3].map((index) => makeArticle(index, shared)));
    const page = makeArticle(5, `${shared}<pre><code>polish anvil --hours 5</code></pre>`);
    for (const text of [read(page, template).found['main_text'], read(page, template).extraction.mainText]) {
      assert.match(text ?? '', /npm run polish --all/);
      assert.match(text ?? '', /polish anvil --hours 5/);
    }
  });

  test('a stored template cuts no words out of sentences; one by a person is obeyed', () => {
    const page = makeArticle(1, '<pre>polish anvil</pre>');
    const rules = {
      hosts: ['metal.example'],
      url_shapes: [],
      signature: null,
      fields: {},
      content: {
        include: [{ css: 'div.content' }],
        exclude: [{ css: 'a.company' }, { css: 'pre' }, { css: 'div > div' }],
        exclude_text: [],
      },
      custom: [],
      invariants: { required: [], main_text_words: null },
    } satisfies Template;
    const learned = read(page, { ...rules, provenance: { source: 'induced' } }).found['main_text'] ?? '';
    assert.match(learned, /among them Acme Works 1 and Borg, sold/);
    assert.match(learned, /polish anvil/);
    assert.doesNotMatch(learned, /Send by mail/);
    for (const provenance of [undefined, { source: 'hand' as const }, { source: 'ftr' as const }]) {
      const { extraction } = read(page, { ...rules, provenance });
      assert.doesNotMatch(extraction.mainText, /Acme|polish anvil|Send by mail/);
    }
  });

  test('blocks are kept or removed as a whole, on pages of any mark-up', () => {
    let removed = 0;
    let learned = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const pages = [0, 1, 2, 3, 4].map((index) => makeRandomPage(seed, index));
      const induction = induceTemplate(pages.slice(0, 3));
      if (!induction.ok || induction.template.content === null) continue;
      learned++;
      const harsh = { ...induction.template, content: { ...induction.template.content } };
      // An older version may have stored any selector.
      harsh.content.exclude = [
        ...harsh.content.exclude,
        ...['a', 'b', 'span', 'td', 'pre', 'h2', '.c1', '.c3'].map((css) => ({ css })),
      ];
      for (const template of [induction.template, harsh]) {
        for (const page of pages) removed += countRemoved(page, template, `seed ${seed}`);
      }
    }
    assert.ok(learned > 5, `${learned} templates were learned`);
    assert.ok(removed > 100, `${removed} blocks were removed`);
  });
});

/** Counts the blocks inside the main element that the template removes; fails on one that it removes in part. */
function countRemoved({ html }: Page, template: Template, what: string): number {
  const tree = parseTree(html);
  const compiled = compileTemplate(template);
  const main = readMain(new PageIndex(tree, compiled.wanted), compiled);
  assert.ok(main !== undefined);
  const kept = new Uint8Array(tree.size);
  for (const { first, end } of main.blocks) kept.fill(1, first, end);
  let removed = 0;
  for (const { first, end } of collectBlocks(tree, [0, ...main.roots], new Set())) {
    const texts = Array.from({ length: end - first }, (_, offset) => first + offset).filter(
      (node) => tree.tag[node] === TEXT && tree.value[node].trim() !== '',
    );
    const count = texts.filter((node) => kept[node] === 1).length;
    const text = texts.map((node) => tree.value[node]).join('');
    assert.ok(count === 0 || count === texts.length, `${what}: a part of this block is removed: ${text}`);
    if (count === 0) removed++;
  }
  return removed;
}

/** A page of a site whose mark-up depends on the seed: boxes, lists, tables and sentences that share few class names. */
function makeRandomPage(seed: number, index: number): Page {
  const site = new SeededRandom(seed);
  const page = new SeededRandom(seed * 100 + index);
  const word = (): string => GOODS[Math.floor(page.next() * 8)];
  const name = (): string => `c${Math.floor(site.next() * 4) + 1}`;
  const sentence = (count: number): string =>
    Array.from({ length: count }, (_, at) => {
      const text = `${word()} ${at} of ${index}`;
      const tag = ['a href="/x"', 'span', 'b', 'x-mark', ''][Math.floor(page.next() * 5)];
      return tag === '' ? text : `<${tag} class="c${Math.floor(page.next() * 4) + 1}">${text}</${tag.split(' ')[0]}>`;
    }).join(' and ');
  const parts = [
    (): string => `<p class="${name()}">${sentence(9)}</p>`,
    (): string => `<div class="${name()}">${sentence(8)}<p>${sentence(5)}</p>${sentence(3)}</div>`,
    (): string =>
      `<ul class="${name()}"><li>${sentence(2)}</li><li><a class="c1" href="/all">See all offers</a></li></ul>`,
    (): string => `<table class="${name()}"><tr><td class="c3">Weight</td><td>${sentence(2)}</td></tr></table>`,
    (): string => `<h2 class="${name()}">${sentence(1)}</h2><pre class="c3">run ${word()}</pre>`,
    (): string => `<div class="${name()}"><b>Subscribe</b> to our letter <a class="c2" href="/l">here</a></div>`,
    (): string => `<span class="${name()}">${sentence(4)}</span>`,
  ];
  const body = Array.from({ length: 12 }, () => parts[Math.floor(site.next() * parts.length)]());
  const html = `<!doctype html><html lang="en"><title>${word()} ${index}</title><body><div class="top">Menu</div><div class="main">${body.join('')}<p>${sentence(30)}</p></div></body></html>`;
  return { html, url: `https://random-${seed}.example/pages/${word()}-${index}` };
}

describe('where a learned template yields to the generic extractor', () => {
  const rules = {
    hosts: ['metal.example'],
    url_shapes: [],
    signature: null,
    confidence: 0.99,
    fields: {
      title: { selectors: [{ css: 'h1.gone' }] },
      author: { selectors: [{ css: '.first-author' }] },
      publish_time: { selectors: [] },
    },
    content: { include: [{ css: 'div.content' }], exclude: [], exclude_text: [] },
    custom: [],
    invariants: { required: ['main_text' as const], main_text_words: null },
    provenance: { source: 'induced' as const },
  } satisfies Template;
  const byline =
    '<p class="byline">By <a rel="author" class="first-author" href="/a/1">Ann Lee</a> and <a rel="author" href="/a/2">Bo Ek</a></p><time datetime="2024-03-05">5 March 2024</time>';
  const signed = (page: Page): Page => ({
    ...page,
    html: page.html
      .replace('</h1>', `</h1>${byline}`)
      .replace(
        '</head>',
        '<meta name="author" content="Ann Lee, Bo Ek"><meta property="article:published_time" content="2024-03-05"></head>',
      ),
  });

  test('a missing title or date, and a shorter list of authors; the reasons are stated', () => {
    const page = signed(makeArticle(2));
    const { extraction, selectors, reasons } = read(page, rules);
    const generic = extract(page.html, { url: page.url });
    assert.equal(generic.author, 'Ann Lee, Bo Ek');
    assert.deepEqual(
      [extraction.title, extraction.author, extraction.publishTime],
      [generic.title, generic.author, '2024-03-05'],
    );
    assert.deepEqual([selectors['title'], selectors['author']], ['generic', 'generic']);
    assert.equal(reasons['title'], 'the template found none');
    assert.equal(reasons['author'], 'the generic extractor found 2 names, the template 1');
    const obeyed = read(page, { ...rules, provenance: { source: 'hand' } }).extraction;
    assert.deepEqual([obeyed.title, obeyed.author, obeyed.publishTime], [null, 'Ann Lee', null]);
  });

  test('the main text, where the extractor is sure; the confidence is always the extractor’s', () => {
    const sure = makeArticle(2);
    const generic = extract(sure.html, { url: sure.url });
    assert.ok(generic.confidence >= 0.8);
    const served = read(sure, rules);
    assert.equal(served.extraction.mainText, generic.mainText);
    assert.equal(served.extraction.confidence, generic.confidence);
    assert.equal(served.selectors['main_text'], 'generic');
    assert.match(served.reasons['main_text'] ?? '', /^the generic extractor is sure, 0\.\d+: its text is used$/);

    const html = `<!doctype html><html><body><div class="content">${'<div><a href="/x">Kettle</a> <span>new</span></div>'.repeat(4)}<div>Open at ten.</div></div><div><a href="/y">Home</a> <a href="/z">Shop</a></div></body></html>`;
    const unsure = { html, url: 'https://metal.example/open' };
    const doubtful = extract(html, { url: unsure.url });
    assert.ok(doubtful.confidence < 0.8);
    const own = read(unsure, rules);
    assert.deepEqual(own.faults, []);
    assert.equal(own.selectors['main_text'], 'div.content');
    assert.equal(own.extraction.mainText, own.found['main_text']);
    assert.equal(own.extraction.confidence, doubtful.confidence);
    assert.equal(own.reasons['main_text'], undefined);
  });

  test('a template whose main text has gone is at fault even where the extractor is sure', () => {
    const page = makeArticle(2);
    const moved = { ...page, html: page.html.replace('class="content"', 'class="body"') };
    const { extraction, faults } = read(moved, rules);
    assert.match(faults.join('; '), /no selector found the required field main_text/);
    assert.equal(extraction.mainText, extract(moved.html, { url: moved.url }).mainText);
  });
});
