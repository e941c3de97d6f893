import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GOLDEN_PAGES } from './model/golden-pages.test-helper.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { TEXT } from '../tree/tags.ts';
import { selectContent, type PageContent } from './select-content.ts';

function select(html: string, url = ''): PageContent & { text: string } {
  const tree = parseTree(html);
  const content = selectContent(tree, url);
  let text = '';
  for (const { first, end } of content.blocks) {
    for (let node = first; node < end; node++) if (tree.tag[node] === TEXT) text += tree.value[node];
    text += '\n';
  }
  return { ...content, text };
}

test('an article is selected without navigation, side bar, consent dialog and footer', () => {
  const [{ url, html }] = GOLDEN_PAGES as [(typeof GOLDEN_PAGES)[number]];
  const { text, pageType, confidence } = select(html, url);
  for (const wanted of ['A dough that rises in the cold', '500 g of strong flour', 'Bake it hot']) {
    assert.ok(text.includes(wanted), wanted);
  }
  for (const unwanted of ['Recipes', 'Which oven?', 'cookies', 'All rights reserved']) {
    assert.ok(!text.includes(unwanted), unwanted);
  }
  assert.equal(pageType, 'article');
  assert.ok(confidence > 0.5 && confidence <= 1, String(confidence));
});

test('precision keeps a subset of the blocks of balanced, and balanced a subset of those of recall', () => {
  for (const { url, html } of GOLDEN_PAGES) {
    const starts = (['precision', 'balanced', 'recall'] as const).map(
      (favor) => new Set(selectContent(parseTree(html), url, favor).blocks.map(({ first }) => first)),
    );
    const [precise, balanced, complete] = starts as [Set<number>, Set<number>, Set<number>];
    assert.ok(
      [...precise].every((first) => balanced.has(first)),
      url,
    );
    assert.ok(
      [...balanced].every((first) => complete.has(first)),
      url,
    );
  }
});

test('a closed dialog is never content, however long its text', () => {
  const prose = 'This is a long sentence about nothing in particular, and it goes on. '.repeat(20);
  const { text } = select(`<main><h1>Title</h1><p>${prose}</p></main><dialog><p>Dialog. ${prose}</p></dialog>`);
  assert.ok(text.includes('nothing in particular'));
  assert.ok(!text.includes('Dialog.'));
});

test('dialogs that ask for consent in languages with few speakers are left out of short pages', () => {
  const note =
    'The ferry leaves the harbour at ten. Whoever hears the bell in the fog knows that the pier is near. '.repeat(2);
  for (const [label, words] of [
    ['Hyväksy kaikki', 'Käytämme evästeitä sivuston toiminnan varmistamiseen ja kävijämäärien mittaamiseen.'],
    ['Tümünü kabul et', 'Bu sitede trafiği ölçmek ve deneyimi geliştirmek için çerezler kullanıyoruz.'],
    ['Nõustun', 'Kasutame veebilehe toimimiseks ja külastuste mõõtmiseks küpsiseid.'],
    ['Sutinku', 'Naudojame slapukus svetainės veikimui ir lankytojų skaičiui matuoti.'],
    ['Prihvati sve', 'Koristimo kolačiće za rad stranice i mjerenje posjeta.'],
    ['Приемам', 'Използваме бисквитки за работата на сайта и за измерване на посещенията.'],
  ] as const) {
    const dialog = `<div class="x1"><div><h2>The ferry company</h2><p>${words}</p></div><div><button>${label}</button></div></div>`;
    const { text } = select(`<main><h1>The ferry</h1><p>${note}</p></main>${dialog}`);
    assert.ok(text.includes('knows that') && !text.includes(words), `${label}: ${text.slice(-200)}`);
  }
});

const SMALL_PAGE = `<!doctype html><html lang="en"><head><title>[House wiki] Cleaning the pump</title></head><body><div id="site">
  <div id="head"><a href="#content">skip to content</a><ul><li><a href="/start">Start</a></li></ul></div><div id="content"><div class="page">
  <h1>Cleaning the pump</h1><p>The pump in the cellar starts when the float rises above the second mark, and it stops a minute after the water has
  fallen below the first.</p><p>Whoever has the key checks the float once a month, because leaves from the yard collect under it and hold it down.</p></div>
  <div class="docInfo">pump.txt · Last modified: 2022/03/18 09:11 by ines</div></div></div></body></html>`;

test('a menu of a hundred links above a short article is left out', () => {
  const links = Array.from({ length: 100 }, (_, at) => `<li><a href="/p/${at}">Place ${at}</a></li>`).join('');
  const text = 'The harbour town keeps its old market, and the fishermen sell there. Nets dry on the wall until noon. ';
  const { text: kept } = select(
    `<!doctype html><title>The harbour | Gazette</title><nav><ul>${links}</ul></nav><main><article><h1>The harbour</h1>${`<p>${text.repeat(3)}</p>`.repeat(3)}</article></main>`,
    'https://gazette.example/one',
  );
  assert.ok(kept.includes('Nets dry'));
  assert.ok(!kept.includes('Place 5'));
});

test('a small page that could be one of a company is cut like an article', () => {
  const { text, pageType } = select(SMALL_PAGE, 'https://wiki.example.org/pump');
  assert.equal(pageType, 'service');
  assert.ok(text.includes('Whoever has the key'));
  assert.ok(!text.includes('Last modified'));
});

test('junk between likely paragraphs is left out', () => {
  const prose = 'This is a long sentence about nothing in particular, and it goes on. '.repeat(5);
  const { text } = select(
    `<main><p>${prose}</p><p>Read more: <a href="/x">Another story</a></p><p>${prose}</p></main>`,
  );
  assert.ok(text.includes('nothing in particular'));
  assert.ok(!text.includes('Another story'));
});

test('a page without words has no content', () => {
  assert.deepEqual(select('<div id="root"></div><script>start()</script>').blocks, []);
});

const HOSTILE: Record<string, string> = {
  empty: '',
  brackets: '<'.repeat(100_000),
  deep: '<div>a'.repeat(20_000),
  hidden: '<div hidden role=dialog>a'.repeat(5_000),
  marks: `${'<i>-</i>'.repeat(50_000)}word`,
  cells: `<table>${`<tr>${'<td>x</td>'.repeat(50)}`.repeat(200)}</table>`,
  nulls: '\0a<b\0>'.repeat(10_000),
  surrogates: '\ud800<p>\udc00'.repeat(10_000),
  word: 'a'.repeat(1_000_000),
  names: Array.from({ length: 30_000 }, (_, i) => `<p class="a${i}" id=x${i}>t`).join(''),
};

for (const [name, html] of Object.entries(HOSTILE)) {
  test(`content is selected from hostile input: ${name}`, () => {
    const { blocks, confidence } = select(html);
    assert.ok(confidence >= 0 && confidence <= 1);
    let last = 0;
    for (const block of blocks) {
      assert.ok(block.first >= last && block.end > block.first);
      last = block.end;
    }
  });
}

const LINES = [
  'The harbour is quiet in the morning, when the boats have left and only the gulls argue about what lies on the stones.',
  'In the shop on the corner a woman sorts buttons by colour, as her mother did before her, and knows the price of each.',
  'Nobody remembers who built the bridge, but everybody has an opinion on who should paint it, and in which colours.',
];
const NAV = '<div class="site-header"><nav><a href="/">Home</a> <a href="/a">News</a></nav></div>';
const FOOT = '<footer class="site-footer"><p>© 2024 The Valley Company. All rights reserved.</p></footer>';

for (const region of ['footer', 'bottom', 'sidebar', 'nav', 'header', 'related', 'meta']) {
  test(`texts in parts of cards and titles that are called ${region} are content`, () => {
    const cards = LINES.map(
      (line, at) => `<div class="col"><img src="/${at}.jpg"><div class="card__${region}">${line}</div></div>`,
    );
    const shapes = [
      `<div class="row">${cards.join('')}</div>`,
      `<div class="hero"><h1>Places</h1><div class="title_${region}">${LINES.join(' ')}</div></div>`,
      `<div class="${region}"><div class="title_${region}">${LINES.join(' ')}</div></div>`,
      `<div class="page-title"><h1>Rooms</h1><div class="title_${region}">${LINES[0]}</div></div>
       ${LINES.slice(1)
         .map((line) => `<div class="room"><h2>Room</h2><p>${line}</p></div>`)
         .join('')}`,
    ];
    for (const [at, shape] of shapes.entries()) {
      const { text } = select(
        `<!doctype html><html lang="en"><title>Places</title>${NAV}<div class="wrap">${shape}</div>${FOOT}`,
      );
      for (const line of LINES) assert.ok(text.includes(line), `${at}: ${line}`);
      assert.ok(!text.includes('All rights reserved'), String(at));
    }
  });
}

test('a panel that a rule leaves out does not make the facts beside it unlikely', () => {
  const about =
    '<p>A lamp of brass and thick glass that keeps its flame in a wind that would take the hat off a captain. It burns for eleven hours on one filling, and the wick is changed once a year by hand.</p>';
  const shipping =
    '<p>Ships within two days. Send it back within thirty days, unused and in its box, and we return the price to your card.</p>';
  const { text } = select(
    `<html><head><title>Storm lamp</title><meta property="og:type" content="product"></head><body><nav><a href="/">Home</a><a href="/c">Lamps</a></nav><main><h1>Storm lamp</h1><p>$64.00</p><div class="d">${about}</div><div class="aside"><p>Made in Nordhafen by two people</p><h2>Shipping</h2>${shipping.repeat(12)}</div></main><footer><a href="/t">Terms</a><p>Written by hand in the quay</p></footer></body></html>`,
    'https://shop.example/products/storm-lamp',
  );
  assert.match(text, /Made in Nordhafen/);
  assert.doesNotMatch(text, /Ships within/);
});
