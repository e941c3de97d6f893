/** Captures pages of a site in both local browsers until it is killed; prints `running` after the first captures. */
import { createTestFetcher } from '../../packages/server/src/composition/testing/test-fetcher.ts';

const origin = process.argv[2] ?? '';
const fetcher = createTestFetcher({ egress: { allow: ['127.0.0.1'], deny: [] } });
const url = new URL('/static', origin);

for (let round = 0; ; round += 1) {
  const request = { url, timeoutMs: 30_000, signal: new AbortController().signal };
  await Promise.all([fetcher.capture('chrome', request), fetcher.capture('chrome_cdp', request)]);
  if (round === 0) process.stdout.write('running\n');
}
