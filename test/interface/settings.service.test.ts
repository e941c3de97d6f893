import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverPairs, listFactors } from '../support/setting-samples.ts';
import type { Settings } from '../support/setting-samples.ts';
import { startUntilReady } from '../support/start-until-ready.ts';

const PROXIES: Settings = {
  WINNOW_UPSTREAM_PROXY: 'http://user:word@127.0.0.1:9',
  WINNOW_UPSTREAM_PROXIES: 'eu=http://127.0.0.1:9',
  WINNOW_REQUEST_PROXIES: 'eu, direct',
  WINNOW_PROJECT_EGRESS: '{"prj_01j00000000000000000000000":{"proxy":"eu"}}',
};

// Checks: interface-beyond
test('the service gets ready with named proxies that requests and projects choose', async () => {
  // Without browsers, which take most of the time.
  await startUntilReady({ ...PROXIES, WINNOW_CHROMIUM: 'none' });
});

// Checks: interface-beyond
test('all pairs of settings are covered by a few dozen combinations', () => {
  const factors = listFactors({ databaseUrl: 'd', s3: { WINNOW_S3_BUCKET: 'b' }, cdpUrl: 'c' });
  const sizes = factors.map(({ length }) => length);
  const rows = coverPairs(sizes);
  assert.ok(factors.length > 50 && rows.length < 48, `${rows.length} combinations of ${factors.length} factors`);
  for (const [a, levels] of factors.entries())
    for (let b = a + 1; b < factors.length; b += 1) {
      const seen = new Set(rows.map((row) => `${row[a]} ${row[b]}`));
      assert.equal(seen.size, levels.length * (sizes[b] ?? 0), `factors ${a} and ${b}`);
    }
});
