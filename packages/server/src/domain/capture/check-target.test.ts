import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeKeyOf } from './check-target.ts';

const keyOf = (address: string): string => shapeKeyOf(new URL(address, 'https://news.example'));

test('addresses of one shape have one key, short and of their host', () => {
  for (const like of [
    ['/news/a-market-opens', '/news/fish-is-dear#top', 'https://NEWS.example/news/why-not'],
    ['/items/17', '/items/4711'],
    ['/search?q=a&page=1', '/search?page=2&q=b'],
    ['/app', '/contact'],
  ])
    assert.equal(new Set(like.map(keyOf)).size, 1, like.join(' '));
  const others = ['/', '/app', '/items/17', '/shop/17', '/items/17/reviews', '/items/17?view=app', '/items/a-hat'];
  const far = ['https://other.example/app', 'https://news.example:8443/app'];
  assert.equal(new Set([...others, ...far].map(keyOf)).size, others.length + far.length);
  assert.match(keyOf(`/${'long/'.repeat(1000)}`), /^news\.example [0-9a-f]{16}$/);
});
