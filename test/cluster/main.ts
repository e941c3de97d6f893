/**
 * `node test/cluster/main.ts [items]`: a cluster of three nodes, with failures under load.
 * `node test/cluster/main.ts --kill-all [items]`: every node and PostgreSQL are killed at once, in the middle of a batch.
 */
import { findPostgresPrograms } from '../../packages/server/src/store/testing/test-postgres.ts';
import { runCluster } from './run-cluster.ts';
import { runKilledCluster } from './run-killed-cluster.ts';
import { findNginx } from './start-balancer.ts';

const DEFAULT_ITEMS = 20_000;

const [postgres, nginx] = [findPostgresPrograms(), findNginx()];
if (postgres === undefined || nginx === undefined) {
  process.stdout.write('skipped: needs PostgreSQL and nginx (Debian: apt install postgresql nginx-light)\n');
} else {
  const [first, ...rest] = process.argv.slice(2);
  const killAll = first === '--kill-all';
  const items = Number((killAll ? rest[0] : first) ?? DEFAULT_ITEMS);
  const onProgress = (text: string): void => void process.stderr.write(`${text}\n`);
  const options = { postgres, nginx, items, onProgress };
  process.exitCode = (killAll ? await reportKilled(options) : await reportAccidents(options)) ? 0 : 1;
}

async function reportAccidents(options: Parameters<typeof runCluster>[0]): Promise<boolean> {
  const report = await runCluster(options);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const { lost, undocumented, batch } = report;
  return [lost, undocumented, batch.absent, batch.repeated, batch.wrong].every((list) => list.length === 0);
}

async function reportKilled(options: Parameters<typeof runKilledCluster>[0]): Promise<boolean> {
  const report = await runKilledCluster(options);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return report.failed === 0 && [report.absent, report.repeated, report.wrong].every((list) => list.length === 0);
}
