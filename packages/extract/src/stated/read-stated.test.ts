import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../pipeline/extract.ts';
import { DATA_BOUNDS } from './bound-data.ts';
import type { StatedData } from '../types/stated-data.ts';

const URL = 'https://shop.example/tables/oak?from=list';

function readStated(head: string, body = ''): StatedData {
  const { stated } = extract(`<!doctype html><head>${head}</head><body>${body}<p>An oak table.</p></body>`, {
    url: URL,
    formats: ['stated'],
  });
  assert.ok(stated);
  return stated;
}

const linked = (value: unknown): string =>
  `<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`;

const productOf = (value: unknown) =>
  readStated(linked({ '@type': 'Product', name: 'Table', ...(value as object) })).product;

test('stated data is only present if requested', () => {
  assert.equal('stated' in extract('<p>An oak table.</p>'), false);
  assert.deepEqual(readStated(''), {
    canonical: null,
    site_name: null,
    image: null,
    modified_time: null,
    keywords: [],
    section: null,
    is_accessible_for_free: null,
    product: null,
    json_ld: [],
    microdata: [],
    truncated: false,
  });
});

test('metadata is read from common names', () => {
  const stated =
    readStated(`<link rel="Canonical" href="/tables/oak"><meta property="og:site_name" content="Harbour &amp; Sons">
    <meta property="og:image" content="/oak.jpg"><meta property="article:modified_time" content="2024-05-07T09:00:00Z">
    <meta name="keywords" content="oak, table,  oak , "><meta property="article:section" content="Tables">`);
  assert.equal(stated.canonical, 'https://shop.example/tables/oak');
  assert.equal(stated.site_name, 'Harbour & Sons');
  assert.equal(stated.image, 'https://shop.example/oak.jpg');
  assert.equal(stated.modified_time, '2024-05-07T09:00:00Z');
  assert.deepEqual(stated.keywords, ['oak', 'table']);
  assert.equal(stated.section, 'Tables');
});

test('JSON-LD fills in fields that metadata does not state', () => {
  const stated = readStated(
    linked({
      '@graph': [
        { '@type': 'WebSite', name: 'Harbour News' },
        {
          '@type': 'NewsArticle',
          dateModified: '2024-05-07',
          keywords: ['boats', 'quay'],
          articleSection: 'Town',
          image: { '@type': 'ImageObject', url: '/quay.jpg' },
          isAccessibleForFree: 'False',
        },
      ],
    }),
  );
  assert.equal(stated.site_name, 'Harbour News');
  assert.equal(stated.modified_time, '2024-05-07');
  assert.deepEqual(stated.keywords, ['boats', 'quay']);
  assert.equal(stated.section, 'Town');
  assert.equal(stated.image, 'https://shop.example/quay.jpg');
  assert.equal(stated.is_accessible_for_free, false);
});

for (const [written, free] of [
  [true, true],
  [false, false],
  ['true', true],
  ['http://schema.org/False', false],
  ['perhaps', null],
] as const) {
  test(`isAccessibleForFree ${JSON.stringify(written)} is read as ${free}`, () => {
    const article = { '@type': 'Article', headline: 'The quay', isAccessibleForFree: written };
    assert.equal(readStated(linked(article)).is_accessible_for_free, free);
  });
}

test('a product of JSON-LD has all its fields', () => {
  assert.deepEqual(
    productOf({
      brand: { '@type': 'Brand', name: 'Harbour' },
      sku: 'OT-1',
      gtin13: '4006381333931',
      mpn: 'M7',
      aggregateRating: { ratingValue: '4.5', bestRating: 5, reviewCount: '1,204' },
      offers: { '@type': 'Offer', price: '249.00', priceCurrency: 'eur', availability: 'https://schema.org/InStock' },
    }),
    {
      name: 'Table',
      brand: 'Harbour',
      sku: 'OT-1',
      gtin: '4006381333931',
      mpn: 'M7',
      price: '249.00',
      high_price: null,
      currency: 'EUR',
      availability: 'InStock',
      rating: { value: 4.5, best: 5, count: 1204 },
    },
  );
});

const PRICES: readonly (readonly [what: string, offers: unknown, price: string | null, high: string | null])[] = [
  ['a number', { price: 12.5, priceCurrency: 'EUR' }, '12.5', null],
  ['text with a currency sign', { price: '€ 1.299,00', priceCurrency: 'EUR' }, '1299', null],
  ['four decimals', { price: '1200.0000', priceCurrency: 'EUR' }, '1200.0000', null],
  ['a range', { '@type': 'AggregateOffer', lowPrice: '10', highPrice: 20, priceCurrency: 'EUR' }, '10', '20'],
  [
    'several offers',
    [
      { price: 30, priceCurrency: 'EUR' },
      { price: 20, priceCurrency: 'EUR' },
    ],
    '20',
    '30',
  ],
  ['offers in an aggregate', { offers: [{ price: 7, priceCurrency: 'EUR' }] }, '7', null],
  ['a price specification', { priceSpecification: { price: 9, priceCurrency: 'EUR' } }, '9', null],
  [
    'a crossed-out price beside the price to pay',
    {
      priceSpecification: [
        { price: 15, priceCurrency: 'EUR', priceType: 'https://schema.org/ListPrice' },
        { price: 9, priceCurrency: 'EUR' },
      ],
    },
    '9',
    null,
  ],
  ['free of charge', { price: 0, priceCurrency: 'EUR' }, '0', null],
  ['a word', { price: 'on request', priceCurrency: 'EUR' }, null, null],
  ['a negative number', { price: -1, priceCurrency: 'EUR' }, null, null],
];
for (const [what, offers, price, high] of PRICES) {
  test(`price stated as ${what} is read as ${price}`, () => {
    const product = productOf({ offers });
    assert.equal(product?.price, price);
    assert.equal(product.high_price, high);
    assert.equal(product.currency, 'EUR');
  });
}

test('an offer referenced by its id is followed', () => {
  const { product } = readStated(
    linked([
      { '@type': 'Product', name: 'Table', offers: { '@id': '#offer' } },
      { '@type': 'Offer', '@id': '#offer', price: 5, priceCurrency: 'EUR' },
    ]),
  );
  assert.equal(product?.price, '5');
});

test('the variants of a product group give its price', () => {
  const { product } = readStated(
    linked({
      '@type': 'ProductGroup',
      name: 'Table',
      hasVariant: [
        { '@type': 'Product', name: 'Small', offers: { price: 5, priceCurrency: 'EUR' } },
        { '@type': 'Product', name: 'Large', offers: { price: 9, priceCurrency: 'EUR' } },
      ],
    }),
  );
  assert.deepEqual([product?.name, product?.price, product?.high_price], ['Table', '5', '9']);
});

test('listed products are not the product of the page', () => {
  const item = (name: string) => ({ '@type': 'ListItem', item: { '@type': 'Product', name, offers: { price: 1 } } });
  assert.equal(readStated(linked({ '@type': 'ItemList', itemListElement: [item('a'), item('b')] })).product, null);
});

test('microdata is returned in the shape of JSON-LD, and gives the product', () => {
  const stated = readStated(
    '',
    `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Oak <b>table</b></h1>
     <img itemprop="image" src="/a.jpg"><img itemprop="image" src="/b.jpg">
     <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="249.00">249 €</span>
     <meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="https://schema.org/OutOfStock"></div></div>`,
  );
  assert.deepEqual(stated.microdata, [
    {
      '@type': 'Product',
      name: 'Oak table',
      image: ['https://shop.example/a.jpg', 'https://shop.example/b.jpg'],
      offers: {
        '@type': 'Offer',
        price: '249.00',
        priceCurrency: 'EUR',
        availability: 'https://schema.org/OutOfStock',
      },
    },
  ]);
  assert.equal(stated.product?.price, '249.00');
  assert.equal(stated.product.currency, 'EUR');
  assert.equal(stated.product.availability, 'OutOfStock');
});

test('shop metadata gives a product if nothing else does', () => {
  const { product } = readStated(`<meta property="og:title" content="Oak table">
    <meta property="product:price:amount" content="249.00"><meta property="product:price:currency" content="EUR">`);
  assert.deepEqual([product?.name, product?.price, product?.currency], ['Oak table', '249.00', 'EUR']);
});

test('broken JSON-LD is repaired, and values that are not objects are left out', () => {
  const stated = readStated(linked('{"@type":"Thing","name":"a\nb",}') + linked('"text"') + linked('[{"a":1},2,[3]]'));
  assert.deepEqual(stated.json_ld, [{ '@type': 'Thing', name: 'a\nb' }, { a: 1 }]);
  assert.equal(stated.truncated, false);
});

// Checks: threat-structured-data
test('keys named like inherited object properties are read as data', () => {
  const stated = readStated(
    linked('{"@type":"Thing","__proto__":{"polluted":1},"constructor":"c"}'),
    '<div itemscope><i itemprop="constructor">c</i><i itemprop="__proto__">p</i></div>',
  );
  assert.deepEqual(stated.json_ld, [{ '@type': 'Thing', constructor: 'c' }]);
  assert.deepEqual(stated.microdata, [{ constructor: 'c' }]);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

const HOSTILE: readonly (readonly [what: string, html: string])[] = [
  ['many scripts', linked({ '@type': 'Thing' }).repeat(DATA_BOUNDS.maxObjects + 50)],
  ['one long text', linked({ text: 'x'.repeat(500_000) })],
  ['many long texts', linked({ texts: Array.from({ length: 100 }, () => 'x'.repeat(9_000)) })],
  ['many values', linked({ values: Array.from({ length: 100_000 }, () => 1) })],
  ['many names', linked(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, 1])))],
  ['deep nesting', linked('{"a":'.repeat(200) + '1' + '}'.repeat(200))],
  ['deep arrays', linked(`{"a":${'['.repeat(200)}1${']'.repeat(200)}}`)],
  ['many items', '<div itemscope><i itemprop="a">b</i></div>'.repeat(50_000)],
  ['nested items', '<div itemscope itemprop="a">'.repeat(5_000)],
];
for (const [what, html] of HOSTILE) {
  // Checks: threat-structured-data
  test(`structured data is cut to its limits: ${what}`, () => {
    const { json_ld: linkedData, microdata, truncated } = readStated('', html);
    const written = JSON.stringify([linkedData, microdata]);
    assert.ok(linkedData.length <= DATA_BOUNDS.maxObjects);
    assert.ok(microdata.length <= DATA_BOUNDS.maxObjects);
    assert.ok(written.length < 2 * DATA_BOUNDS.maxCharacters, `${written.length} characters`);
    assert.equal(truncated, true);
  });
}
