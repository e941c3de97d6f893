import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SitemapParser } from './sitemap-parser.ts';

void test('elements named like properties of objects hold no locations', () => {
  const found: string[] = [];
  const parser = new SitemapParser((location, kind) => {
    found.push(`${kind} ${location}`);
    return true;
  });
  for (const name of ['constructor', '__proto__', 'toString', 'url'])
    parser.write(`<${name}><loc>https://example.org/${name}</loc></${name}>`);
  parser.end();
  assert.deepEqual(found, ['page https://example.org/url']);
});
