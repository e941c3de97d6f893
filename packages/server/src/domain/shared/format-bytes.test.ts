import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes } from './format-bytes.ts';

test('sizes use the largest exact unit', () => {
  const MIB = 1024 * 1024;
  for (const [bytes, text] of [
    [1, '1 byte'],
    [200_000, '200000 bytes'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [MIB, '1 MiB'],
    [10 * MIB, '10 MiB'],
    [2.25 * MIB, '2.25 MiB'],
    [1024 * MIB, '1 GiB'],
  ] as const)
    assert.equal(formatBytes(bytes), text);
});
