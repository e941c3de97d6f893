import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPostgresPrograms } from '../../packages/server/src/store/testing/test-postgres.ts';
import { IN_FLIGHT, runKilledCrawl, runKilledNode } from './run-killed-crawl.ts';

const postgres = findPostgresPrograms();
const skip = postgres === undefined ? "needs Debian's postgresql" : false;

test('a crawl survives three kills of its process: no page is lost, and none is fetched twice but those in flight', async () => {
  const { fetchedAgain, doneAtKills, ...report } = await runKilledCrawl(400, 3);
  assert.deepEqual(report, { total: 400, lines: 400, failed: 0, absent: [], repeated: [], neverFetched: 0 });
  assert.ok(fetchedAgain <= 3 * IN_FLIGHT, `${fetchedAgain} pages were fetched again`);
  assert.ok(Math.max(...doneAtKills) < 400, 'the kills came in the middle');
});

test(
  'a crawl by two nodes survives the kill of one: the other reads the pages whose leases end, and no other page twice',
  { skip },
  async () => {
    const { fetchedAgain, doneAtKills, storedBy, ...report } = await runKilledNode(postgres ?? '', 400);
    assert.deepEqual(report, { total: 400, lines: 400, failed: 0, absent: [], repeated: [], neverFetched: 0 });
    assert.ok(fetchedAgain <= IN_FLIGHT, `${fetchedAgain} pages were fetched again`);
    assert.ok(Math.max(...doneAtKills) < 400, 'the kill came in the middle');
    for (const bytes of storedBy) assert.ok(bytes > 100_000, `both nodes worked: ${storedBy.join(', ')} bytes`);
  },
);
