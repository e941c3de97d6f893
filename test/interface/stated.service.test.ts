import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extractResponseSchema, statedSchema } from '@winnow/contract';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const extract = (path: string, more: object) =>
  running.call('/v1/extract', { extract: { url: running.pages.url + path, ...more } });

// Checks: interface-2.3
test('the format stated returns the data that the page states about itself', async () => {
  const { status, body } = await extract('/product', { formats: ['stated'] });
  assert.equal(status, 200);
  extractResponseSchema.strict().parse(body);
  const { json_ld: linkedData, microdata, ...stated } = statedSchema.strict().parse(body.result.stated);
  assert.deepEqual(stated, {
    canonical: `${running.pages.url}/product`,
    site_name: 'Harbour Furniture',
    image: `${running.pages.url}/oak.jpg`,
    modified_time: '2024-05-07T09:00:00Z',
    keywords: ['oak', 'table'],
    section: 'Tables',
    is_accessible_for_free: true,
    product: {
      name: 'Oak table',
      brand: 'Harbour Furniture',
      sku: 'OT-120',
      gtin: '4006381333931',
      mpn: 'HF-7781',
      price: '249.00',
      high_price: null,
      currency: 'EUR',
      availability: 'InStock',
      rating: { value: 4.5, best: 5, count: 128 },
    },
    truncated: false,
  });
  assert.deepEqual([linkedData.length, linkedData[0]?.['sku']], [1, 'OT-120']);
  assert.deepEqual([microdata.length, microdata[0]?.['@type'], microdata[0]?.['name']], [1, 'Product', 'Oak table']);
});

// Checks: interface-2.3
test('stated data is returned only on request, also from a snapshot', async () => {
  const { body } = await extract('/product', { formats: ['markdown'] });
  assert.equal('stated' in body.result, false);
  const again = await running.call('/v1/extract', { extract: { dom_id: body.result.dom_id, formats: ['stated'] } });
  assert.equal(again.body.result.stated.product?.price, '249.00');
  assert.equal('markdown' in again.body.result, false);
});

// Checks: interface-2.3
test('a page that states nothing has empty stated data', async () => {
  const { body } = await extract('/hidden', { formats: ['stated'] });
  assert.equal(body.result.stated.product, null);
  assert.deepEqual(body.result.stated.json_ld, []);
});
