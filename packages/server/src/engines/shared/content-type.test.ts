import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContentType } from './content-type.ts';

void test('the last readable media type counts, with the charset of earlier equal types', () => {
  const expected: readonly (readonly [string | null, string | null, string | undefined])[] = [
    [null, null, undefined],
    ['', null, undefined],
    ['text/html', 'text/html', undefined],
    ['Text/HTML;Charset="ISO-8859-1"', 'text/html', 'ISO-8859-1'],
    ['text/html, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; charset=windows-1252, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; charset=utf-8, text/html', 'text/html', 'utf-8'],
    ['text/plain; charset=utf-8, text/html', 'text/html', undefined],
    ['text/plain, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; charset=utf-8, */*; charset=latin1', 'text/html', 'utf-8'],
    ['text/html; charset=utf-8, nonsense', 'text/html', 'utf-8'],
    ['text/html; a="x, text/plain; y"; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; a="x, text/plain', 'text/html', undefined],
    ['text/html charset=utf-8', null, undefined],
    ['*/*', null, undefined],
  ];
  for (const [header, mediaType, charset] of expected) {
    assert.deepEqual(readContentType(header), { mediaType, charset }, String(header));
  }
});
