import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSharedEngines } from '../../composition/testing/test-site-engines.ts';
import { assertFails } from '../testing/assert-fails.ts';

const { take, close } = await startSharedEngines();
after(close);

void test('a page that does not end in time is partial if it has text, and else a timeout', async () => {
  const [page] = await Promise.all([
    take('http', '/drip?article', {}, 10_000),
    assertFails(take('http', '/no-body', {}, 10_000), 'fetch_timeout', 'no text'),
  ]);
  assert.deepEqual([page.partial, page.html.includes('<p>drop</p>')], [true, true]);
});
