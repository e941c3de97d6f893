import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPostgresPrograms } from '../../packages/server/src/store/testing/test-postgres.ts';
import { runCluster } from './run-cluster.ts';
import { runKilledCluster } from './run-killed-cluster.ts';
import { findNginx } from './start-balancer.ts';

const [postgres, nginx] = [findPostgresPrograms(), findNginx()];
const absent = [...(postgres === undefined ? ['postgresql'] : []), ...(nginx === undefined ? ['nginx-light'] : [])];

const skip = absent.length > 0 ? `needs Debian's ${absent.join(' and ')}` : false;

test(
  'three nodes lose nothing when a node, a browser and the database fail under load',
  { skip, timeout: 400_000 },
  async () => {
    const report = await runCluster({
      postgres: postgres ?? '',
      nginx: nginx ?? '',
      items: 100,
      calmMs: 1500,
      onProgress: () => undefined,
    });
    assert.deepEqual(report.lost, []);
    assert.deepEqual(report.undocumented, []);
    const { lines, absent: missing, repeated, wrong } = report.batch;
    assert.deepEqual({ lines, missing, repeated, wrong }, { lines: 100, missing: [], repeated: [], wrong: [] });
    assert.ok(report.acknowledged > 0);
    for (const count of report.answeredBy) assert.ok(count > 0, 'every node worked');
  },
);

test(
  'a batch survives a kill of every node and of the database at once, with each page once in its results',
  { skip, timeout: 400_000 },
  async () => {
    const report = await runKilledCluster({
      postgres: postgres ?? '',
      nginx: nginx ?? '',
      items: 300,
      onProgress: () => undefined,
    });
    const { lines, failed, absent: missing, repeated, wrong } = report;
    assert.deepEqual(
      { lines, failed, missing, repeated, wrong },
      { lines: 300, failed: 0, missing: [], repeated: [], wrong: [] },
    );
    assert.ok(report.finishedBeforeKill < 300, 'the kill came in the middle');
  },
);
