import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_FLIGHT, runKilledCrawl } from './run-killed-crawl.ts';

test('a crawl survives three kills of its process: no page is lost, and none is fetched twice but those in flight', async () => {
  const { fetchedAgain, doneAtKills, ...report } = await runKilledCrawl(400, 3);
  assert.deepEqual(report, { total: 400, lines: 400, failed: 0, absent: [], repeated: [], neverFetched: 0 });
  assert.ok(fetchedAgain <= 3 * IN_FLIGHT, `${fetchedAgain} pages were fetched again`);
  assert.ok(Math.max(...doneAtKills) < 400, 'the kills came in the middle');
});
