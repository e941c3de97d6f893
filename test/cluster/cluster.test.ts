import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { findPostgresPrograms } from '../../packages/server/src/store/testing/test-postgres.ts';
import { runCluster } from './run-cluster.ts';

const NGINX = '/usr/sbin/nginx';
const postgres = findPostgresPrograms();
const absent = [...(postgres === undefined ? ['postgresql'] : []), ...(existsSync(NGINX) ? [] : ['nginx-light'])];

test(
  'three nodes lose nothing when a node, a browser and the database go under load',
  { skip: absent.length > 0 ? `needs Debian's ${absent.join(' and ')}` : false, timeout: 200_000 },
  async () => {
    const report = await runCluster({
      postgres: postgres ?? '',
      nginx: NGINX,
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
