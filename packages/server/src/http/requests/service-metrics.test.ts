import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { ServiceMetrics } from './service-metrics.ts';

test('an unreachable database removes only its own metrics from a scrape', async (t) => {
  let isAway = false;
  const metrics = new ServiceMetrics({
    queue: () => ({ running: 2, waiting: 5, expectedWaitMs: 0 }),
    hosts: () => ({ waiting: 0 }),
    browsers: () => ({ running: 0, started: 0, leases: 0, waiting: 0, killedRenderers: 0 }),
    workers: () => ({ workers: 0, queued: 0 }),
    storage: async () => {
      if (isAway) throw new Error('the database is away');
      return { snapshots: 7, storedBytes: 700 };
    },
    usage: async () => ({ batches: 0, batchBytes: 0, largestShare: 0 }),
  });
  const app = Fastify();
  t.after(() => app.close());
  metrics.addRoute(app);
  const scrape = async (): Promise<string> => {
    const { statusCode, body } = await app.inject('/metrics');
    assert.equal(statusCode, 200, body);
    return body;
  };

  isAway = true;
  const without = await scrape();
  assert.match(without, /^winnow_queue_length 5$/m);
  assert.doesNotMatch(without, /^winnow_snapshot/m);
  isAway = false;
  assert.match(await scrape(), /^winnow_snapshots 7$/m);
});
