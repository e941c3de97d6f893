import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SitemapParser } from './sitemaps.ts';

test('elements named like inherited object properties hold no locations', () => {
  const found: string[] = [];
  const parser = new SitemapParser((location, kind) => found.push(`${kind} ${location}`) > 0);
  for (const name of ['constructor', '__proto__', 'toString'])
    parser.write(`<${name}><loc>https://site.test/${name}</loc></${name}>`);
  parser.write('<url><loc>https://site.test/page</loc></url>');
  parser.end();
  assert.deepEqual(found, ['page https://site.test/page']);
});
