import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '@winnow/extract';
import { limitLists } from './limit-lists.ts';

test('the characters of links and images in a response are bounded', () => {
  const base = `https://example.org/${'a/'.repeat(3500)}`;
  const links = Array.from({ length: 5000 }, (_, index) => `<a href=${index}>Page ${index}</a>`).join(' ');
  const extraction = extract(
    `<base href="${base}"><main><p>The first page of many.</p></main>${links}<img src=one.png>`,
  );
  assert.equal(extraction.links.length, 5000);
  const limited = limitLists(extraction);
  const [first] = limited.links;
  assert.equal(first?.url, `${base}0`);
  const characters = limited.links.reduce((sum, { url, text }) => sum + url.length + text.length, 0);
  assert.ok(characters <= 20_000_000 && characters > 19_990_000, String(characters));
  assert.deepEqual(limited.leftOut, { links_left_out: 5000 - limited.links.length });
  assert.equal(limited.images.length, 1);
});
