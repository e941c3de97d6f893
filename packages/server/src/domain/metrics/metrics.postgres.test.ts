import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { TEST_DATABASES } from '../../store/testing/test-databases.ts';
import type { TestServer } from '../../store/testing/test-databases.ts';
import { addLatency, createHistogram, mergeHistogram, readPercentile } from './latency-histogram.ts';
import { MetricRecorder } from './metric-recorder.ts';
import type { FinishedRequest } from './ports.ts';
import { readMetrics } from './read-metrics.ts';

const NOW = new Date('2026-03-01T12:34:56Z');

test('percentiles are accurate within a bin, and histograms can be merged', () => {
  const [all, left, right] = [createHistogram(), createHistogram(), createHistogram()];
  for (let ms = 1; ms <= 1000; ms += 1) {
    addLatency(all, ms);
    addLatency(ms % 2 === 0 ? left : right, ms);
  }
  for (const [share, expected] of [
    [0.5, 500],
    [0.9, 900],
    [0.99, 990],
  ] as const) {
    const found = readPercentile(all, share) ?? 0;
    assert(Math.abs(found - expected) / expected < 0.15, `${found} for ${expected}`);
  }
  mergeHistogram(left, right);
  assert.deepEqual(left, all);
  assert.equal(readPercentile(createHistogram(), 0.5), null);
});

test('latencies above every limit are counted in the last bin', () => {
  const histogram = createHistogram();
  addLatency(histogram, 10_000_000);
  addLatency(histogram, 0);
  assert.equal(
    histogram.reduce((sum, count) => sum + count, 0),
    2,
  );
  assert((readPercentile(histogram, 0.99) ?? 0) > 100_000);
});

for (const kind of TEST_DATABASES) {
  describe(`figures over time on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let store: Store;
    before(async () => {
      server = await kind.start();
      store = await openStore({ location: await server.create(), onError: (error) => assert.fail(String(error)) });
    });
    after(async () => {
      await store.close();
      await server.stop();
    });

    test('records of several processes are read together, for the visible projects', async () => {
      const onError = (error: unknown): never => assert.fail(String(error));
      const deps = { metrics: store.metrics, onError, now: () => NOW };
      const recorder = new MetricRecorder({ ...deps, browserPool: () => ({ running: 2, busy: 1, waiting: 3 }) });
      recorder.record(finished({ engine: 'http', elapsedMs: 100 }));
      recorder.record(finished({ engine: 'stable', elapsedMs: 900 }));
      await recorder.flush();
      // In the same minute the span is replaced, not added.
      recorder.record(finished({ code: 'fetch_timeout', stage: 'fetch', elapsedMs: 20_000 }));
      recorder.record(finished({ engine: 'http', elapsedMs: 110 }));
      recorder.record(finished({ projectId: 'prj_other', elapsedMs: 1 }));
      await recorder.flush();
      await recorder.sample();
      await recorder.stop();

      const query = { range: '1h', now: NOW, projectIds: new Set(['prj_own']) } as const;
      const report = await readMetrics(store.metrics, query);
      assert.equal(report.times.length, 60);
      assert.deepEqual([report.totals.requests, report.totals.errors], [4, 1]);
      assert.equal(report.requests.at(-1), 4);
      assert.equal(report.requests.at(-2), 0);
      assert.equal(report.latency_ms.p50.at(-2), null);
      assert.deepEqual(report.errors_by_code, [{ code: 'fetch_timeout', stage: 'fetch', count: 1 }]);
      assert.deepEqual(Object.keys(report.engines).toSorted(), ['http', 'stable']);
      assert.equal(report.engines['http']?.at(-1), 2);
      assert.deepEqual(
        [report.browsers.running.at(-1), report.browsers.busy.at(-1), report.browsers.waiting.at(-1)],
        [2, 1, 3],
      );
      for (const range of ['24h', '7d', '30d'] as const) {
        assert.equal((await readMetrics(store.metrics, { ...query, range })).totals.requests, 4, range);
      }
    });

    test('items of batches are counted apart from requests, and confidence and warnings of both together', async () => {
      const deps = { metrics: store.metrics, onError: (error: unknown) => assert.fail(String(error)), now: () => NOW };
      const projectId = 'prj_judged';
      const [first, second] = [new MetricRecorder(deps), new MetricRecorder(deps)];
      const item = { at: NOW, projectId, failed: false, judged: { confidence: 0.5, warnings: ['paywall'] } } as const;
      first.recordItem(item);
      await first.flush();
      // In the same minute counts are added.
      first.recordItem({ ...item, judged: { confidence: 0.9, warnings: [] } });
      second.recordItem({ at: NOW, projectId, failed: true, judged: null });
      second.record(finished({ projectId, judged: { confidence: 1, warnings: ['paywall', 'partial'] } }));
      await Promise.all([first.stop(), second.stop()]);

      const query = { range: '24h', now: NOW, projectIds: new Set([projectId]) } as const;
      const report = await readMetrics(store.metrics, query);
      assert.deepEqual([report.totals.items, report.totals.items_failed], [3, 1]);
      assert.deepEqual([report.items.done.at(-1), report.items.failed.at(-1), report.totals.requests], [2, 1, 1]);
      assert.ok(Math.abs((report.confidence.at(-1) ?? 0) - 0.8) < 1e-9, String(report.confidence.at(-1)));
      assert.ok(Math.abs((report.doubtful.at(-1) ?? 0) - 2 / 3) < 1e-9, String(report.doubtful.at(-1)));
      assert.deepEqual(report.warnings_by_code, [
        { code: 'paywall', count: 2 },
        { code: 'partial', count: 1 },
      ]);
      assert.equal(report.confidence.at(-2), null, 'no page was extracted then');
      const others = await readMetrics(store.metrics, { ...query, projectIds: new Set(['prj_own']) });
      assert.equal(others.totals.items, 0);
    });

    test('minute and hour spans are deleted when they are older than their ranges', async () => {
      await store.metrics.forgetOld(new Date(NOW.getTime() + 27 * 3_600_000));
      const query = { now: NOW, projectIds: new Set(['prj_own']) } as const;
      assert.equal((await readMetrics(store.metrics, { ...query, range: '1h' })).totals.requests, 0);
      assert.equal((await readMetrics(store.metrics, { ...query, range: '7d' })).totals.requests, 4);
      await store.metrics.forgetOld(new Date(NOW.getTime() + 33 * 86_400_000));
      assert.equal((await readMetrics(store.metrics, { ...query, range: '30d' })).totals.requests, 0);
    });

    test('accounts store their data', async () => {
      const { users, links, failures } = store.accounts;
      const user = {
        id: 'usr_1',
        email: 'A@example.com',
        role: 'admin',
        passwordHash: 'h',
        createdAt: NOW,
        disabledAt: null,
        lastSeenAt: null,
      } as const;
      assert.equal(await users.insert(user), true);
      assert.equal(await users.insert({ ...user, id: 'usr_2', email: 'a@EXAMPLE.com' }), false);
      assert.deepEqual(await users.findByEmail('a@example.COM'), user);
      const link = {
        ...({ id: 'lnk_1', hash: 'x', kind: 'invite', email: 'B@example.com', role: 'member' } as const),
        projectIds: ['prj_1'],
        createdAt: NOW,
        expiresAt: NOW,
      };
      await links.insert(link);
      assert.deepEqual(await links.findByHash('x'), link);
      assert.deepEqual([await links.take('lnk_1'), await links.take('lnk_1')], [true, false]);
      const later = new Date(NOW.getTime() + 1000);
      await failures.add('k', NOW, new Date(0));
      await failures.add('k', later, new Date(0));
      assert.deepEqual(await failures.find('k'), { count: 2, lastAt: later });
      await failures.add('k', later, new Date(later.getTime() + 1));
      assert.equal((await failures.find('k'))?.count, 1);
    });

    test('concurrent failures count up to the limit', async () => {
      const { failures } = store.accounts;
      const later = new Date(NOW.getTime() + 1000);
      await failures.add('at once', NOW, new Date(0), 5);
      const added = await Promise.all(Array.from({ length: 20 }, () => failures.add('at once', later, new Date(0), 5)));
      assert.equal(added.filter(Boolean).length, 4);
      assert.deepEqual(await failures.find('at once'), { count: 5, lastAt: later });
      await failures.takeBack('at once', later, NOW);
      assert.deepEqual(await failures.find('at once'), { count: 4, lastAt: NOW });
      await failures.takeBack('at once', later, new Date(0));
      assert.deepEqual(await failures.find('at once'), { count: 3, lastAt: NOW });
      assert.equal(await failures.add('at once', later, NOW, 3), true, 'the last failure is exactly at `since`');
      assert.deepEqual(await failures.find('at once'), { count: 1, lastAt: later });
      assert.equal(await failures.add('at once', later, NOW, 1), false);
    });
  });
}

function finished(fields: Partial<FinishedRequest>): FinishedRequest {
  return {
    at: NOW,
    projectId: 'prj_own',
    code: 'ok',
    stage: null,
    engine: null,
    elapsedMs: 50,
    judged: null,
    ...fields,
  };
}
