import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUrlResolver } from '../../tree/url-resolver.ts';
import { CUSTOM_TYPES, FIELD_TYPES } from './field-types.ts';

const CONTEXT = { urls: createUrlResolver('https://a.example/x/y', null), language: 'en', topLevelDomain: 'example' };

test('numbers are read in the notations of pages', () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ['1,299.00', 1299],
    ['1.299,00 €', 1299],
    ['€ 12 345', 12_345],
    ["CHF 1'250.50", 1250.5],
    ['3,5', 3.5],
    ['1,000', 1000],
    ['0.125', 0.125],
    ['1.234.567', 1_234_567],
    ['-7 °C', -7],
    ['no number', null],
  ];
  for (const [text, value] of cases) assert.equal(CUSTOM_TYPES.number([text], CONTEXT), value, text);
});

test('dates, addresses and lists are read', () => {
  assert.equal(CUSTOM_TYPES.date(['5 May 2024'], CONTEXT), '2024-05-05');
  assert.equal(CUSTOM_TYPES.date(['soon'], CONTEXT), null);
  assert.equal(CUSTOM_TYPES.url(['../z?q=1'], CONTEXT), 'https://a.example/z?q=1');
  assert.equal(CUSTOM_TYPES.url(['javascript:alert(1)'], CONTEXT), null);
  assert.deepEqual(CUSTOM_TYPES.list(['a', 'b'], CONTEXT), ['a', 'b']);
  assert.equal(CUSTOM_TYPES.text([], CONTEXT), null);
});

test('the standard fields are read', () => {
  assert.equal(FIELD_TYPES.author(['By Ann Lee and Bo Ek'], CONTEXT), 'Ann Lee, Bo Ek');
  assert.equal(FIELD_TYPES.author(['https://a.example/profile'], CONTEXT), null);
  assert.equal(FIELD_TYPES.language(['en_us'], CONTEXT), 'en-US');
  assert.equal(FIELD_TYPES.language(['not a language'], CONTEXT), null);
  assert.equal(FIELD_TYPES.publish_time(['2024-05-06T07:08:09+02:00'], CONTEXT), '2024-05-06T07:08:09+02:00');
});
