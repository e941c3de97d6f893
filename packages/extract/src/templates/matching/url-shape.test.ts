import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnUrlShapes, matchesHost, scoreUrl, splitAddress } from './url-shape.ts';

function split(address: string) {
  const parts = splitAddress(address);
  assert.ok(parts);
  return parts;
}

test('constant segments are fixed, others get the narrowest kind', () => {
  const [shape, ...others] = learnUrlShapes(
    ['https://a.example/news/2024/05/a-first-story?id=1&x=2', 'https://a.example/news/2023/11/the-second-one?id=7'].map(
      split,
    ),
  );
  assert.equal(others.length, 0);
  assert.deepEqual(shape, {
    segments: [{ text: 'news' }, { any: 'date' }, { any: 'date' }, { any: 'slug' }],
    query: ['id'],
  });
});

test('addresses of different depth have different shapes', () => {
  const shapes = learnUrlShapes(
    ['https://a.example/p/12', 'https://a.example/p/31', 'https://a.example/about'].map(split),
  );
  assert.deepEqual(
    shapes.map((shape) => shape.segments),
    [[{ any: 'text' }], [{ text: 'p' }, { any: 'number' }]],
  );
});

test('a shape matches by depth, fixed segments, kinds and query', () => {
  const shape = { segments: [{ text: 'p' }, { any: 'number' }], query: ['id'] } as const;
  assert.equal(scoreUrl(shape, split('https://a.example/p/12?id=3')).toFixed(3), '0.833');
  for (const address of ['/p/12', '/q/12?id=3', '/p/x?id=3', '/p/12/3?id=3']) {
    assert.equal(scoreUrl(shape, split(`https://a.example${address}`)), 0, address);
  }
});

test('a host matches exactly, or by a suffix that starts with a dot', () => {
  assert.ok(matchesHost(['a.example'], 'a.example'));
  assert.ok(!matchesHost(['a.example'], 'www.a.example'));
  assert.ok(matchesHost(['.a.example'], 'www.a.example'));
  assert.ok(matchesHost(['.a.example'], 'a.example'));
  assert.ok(!matchesHost(['.a.example'], 'ba.example'));
});

test('only http and https addresses have parts; the port belongs to the host', () => {
  assert.equal(splitAddress('file:///etc/passwd'), undefined);
  assert.equal(splitAddress('nothing'), undefined);
  assert.equal(split('http://A.example:8080/x').host, 'a.example:8080');
});
