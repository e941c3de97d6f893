import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMainContent } from './find-main-content.ts';
import { parsePage, renderSafePage, MAX_DRAWN_DEPTH, MAX_DRAWN_LENGTH } from './render-safe-page.ts';

function render(html: string, marks: ReadonlyMap<string, number[]> = new Map()): string {
  return renderSafePage(parsePage(html), new Map(marks));
}

/** Harmful markup, and a pattern that must not remain. */
const HARMFUL: readonly [string, RegExp][] = [
  ['<script>x()</script>', /<script|x\(\)/],
  ['<p onclick="x()">a</p>', /onclick/],
  ['<a href="javascript:x()">a</a>', / href=/],
  ['<a href="https://a.example/" target="_top" ping="/p" download>a</a>', / href=| target=| ping=| download/],
  ['<meta http-equiv="refresh" content="0;url=/x">', /<meta/],
  ['<base href="https://a.example/">', /<base/],
  ['<link rel="stylesheet" href="/x.css">', /<link/],
  ['<form action="/x" method="post"><button formaction="/y">b</button></form>', /action=|method=/],
  ['<iframe src="/x" srcdoc="<script>x()</script>"></iframe>', /<iframe/],
  ['<object data="/x"></object><embed src="/x"><applet></applet>', /<object|<embed|<applet/],
  ['<img src="/x" srcset="/y 2x" onerror="x()">', / src=|srcset|onerror/],
  ['<img src="data:image/svg+xml,<svg onload=x()>">', / src=/],
  [
    '<svg><a xlink:href="javascript:x()"><set attributeName="href" to="javascript:x()"/></a></svg>',
    /xlink|<set| href=/,
  ],
  ['<svg><script>x()</script><use href="/x#y"/></svg>', /<script| href=/],
  ['<math><maction actiontype="statusline" xlink:href="javascript:x()">m</maction></math>', /xlink|javascript/],
  ['<template><script>x()</script></template>', /<template|<script/],
  ['<noscript><img src=x onerror=x()></noscript>', /<noscript|onerror/],
  ['<style></style><noscript><style></noscript><img src=x onerror=x()>', / onerror=/],
  ['<!--><script>x()</script>-->', /<script|<!--/],
  ['<body background="/x" onload="x()">', /background=|onload/],
  ['<input autofocus onfocus="x()" contenteditable>', /autofocus|onfocus|contenteditable/],
];

for (const [html, harm] of HARMFUL) {
  test(`nothing is left of ${html.slice(0, 60)}`, () => {
    const page = render(`<!doctype html><html><body>${html}<p id="end">the end</p></body></html>`);
    // The service's own rules come last.
    const own = page.slice(0, page.lastIndexOf('<style>'));
    assert.doesNotMatch(own, harm);
  });
}

test('visible content stays: text, classes, styles, tables and embedded images', () => {
  const page = render(
    '<h1 class="a" style="color:red">T</h1><style>.a{margin:0}</style><td>x</td><img src="data:image/png;base64,AA==" alt="p">',
  );
  assert.match(page, /<h1 class="a" style="color:red" data-node="\d+">T<\/h1>/);
  assert.match(page, /\.a\{margin:0\}/);
  assert.match(page, /src="data:image\/png;base64,AA=="/);
});

test('elements are numbered in document order, and marks use the numbers', () => {
  const page = parsePage('<!doctype html><title>t</title><p>one</p><div><p>two</p></div>');
  const second = page.elements.findIndex(
    (element) => element.tagName === 'p' && element.parentNode?.nodeName === 'div',
  );
  assert.deepEqual(
    page.elements.map(({ tagName }) => tagName),
    ['html', 'head', 'title', 'body', 'p', 'div', 'p'],
  );
  assert.match(
    renderSafePage(page, new Map([['author', [second, 999]]])),
    /<p data-node="6" data-mark="author">two<\/p>/,
  );
});

test('pages too large or too deep are rejected with a message', () => {
  assert.throws(() => parsePage('x'.repeat(MAX_DRAWN_LENGTH + 1)), { code: 'payload_too_large' });
  assert.throws(() => parsePage('<div>'.repeat(MAX_DRAWN_DEPTH + 10)), /nests too deeply/);
  assert.match(render('<div>'.repeat(500)), /data-node="502"/);
});

test('the main content is the outermost element with many letters and little other text', () => {
  const long = 'A sentence that is long enough to be found wherever it stands in the text.';
  const page = parsePage(
    `<nav><a>Home</a></nav><article><h1>Title</h1><p>${long}</p><p>Another <b>short</b> one.</p></article><footer>Imprint</footer>`,
  );
  const found = findMainContent(page, `Title\n\n${long}\n\nAnother short one.`);
  assert.deepEqual(
    found.map((node) => page.elements[node]?.tagName),
    ['article'],
  );
  assert.deepEqual(findMainContent(page, ''), []);
});

// Checks: threat-expensive-page
test('a page whose body has 500,000 children is read', () => {
  assert.ok(parsePage('<br>'.repeat(500_000)).elements.length > 500_000);
});
