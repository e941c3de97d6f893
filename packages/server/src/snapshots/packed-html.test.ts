import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDamagedContent, packAtOnce, unpack } from './packed-html.ts';

// Checks: threat-command-files
test('content that decompresses to more than the largest page is reported as damage', async () => {
  const bomb = packAtOnce(Buffer.alloc(256 * 1024 * 1024 + 1));
  assert.ok(bomb.length < 100_000);
  await assert.rejects(unpack(bomb, '0'.repeat(64), 'the snapshot x'), (error) => {
    assert.match(String(error), /the snapshot x is damaged: it does not decompress to at most 256 MiB/);
    return isDamagedContent(error);
  });
});
