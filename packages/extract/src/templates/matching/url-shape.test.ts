import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePath, matchesHost, scoreUrl, splitAddress } from './url-shape.ts';

function split(address: string) {
  const parts = splitAddress(address);
  assert.ok(parts);
  return parts;
}

test('a path is described by the words before its last segment, the kinds of the others, and the names in its query', () => {
  const shapes = ['/', '/about', '/news/2024/05/a-first-story', '/news/2023/11/the_second?page=2&id=1', '/wiki/Berlin'];
  assert.deepEqual(
    shapes.map((path) => describePath(split(`https://a.example${path}`))),
    ['/', '/{text}', '/news/{number}/{number}/{slug}', '/news/{number}/{number}/{slug}?id&page', '/wiki/{text}'],
  );
  const long = describePath(split(`https://a.example/${'a/'.repeat(40)}?${'b'.repeat(2000)}`));
  assert.equal(long.length, 200);
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
