import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCacheControl } from './read-cache-control.ts';

test('Cache-Control is parsed as in RFC 9111: names in any case, the strictest age, unknown directives ignored', () => {
  const cases: readonly (readonly [header: string | undefined, maxAgeMs: number | undefined, mayFetch?: boolean])[] = [
    [undefined, undefined],
    ['', undefined],
    ['max-stale=60, no-transform, x=y', undefined],
    ['max-age=60', 60_000, true],
    ['MAX-AGE="60"', 60_000, true],
    ['max-age=60, max-age=30', 30_000, true],
    ['max-age=0', 0, true],
    ['max-age=99999999999', Infinity, true],
    ['no-cache', 0, true],
    ['no-store, max-age=60', 0, true],
    ['no-cache, max-age=60', 0, true],
    ['only-if-cached', Infinity, false],
    ['max-age=60 , Only-If-Cached', 60_000, false],
    ['no-cache, only-if-cached', 0, false],
  ];
  for (const [header, maxAgeMs, mayFetch] of cases)
    assert.deepEqual(readCacheControl(header), maxAgeMs === undefined ? undefined : { maxAgeMs, mayFetch }, header);
});

test('a max-age that is not a whole number of seconds is rejected', () => {
  for (const header of ['max-age', 'max-age=', 'max-age=-1', 'max-age=1.5', 'max-age=1h', 'max-age=1e3', 'max-age="1'])
    assert.throws(() => readCacheControl(header), {
      code: 'invalid_request',
      message: /^Cache-Control: max-age must be/,
    });
});
