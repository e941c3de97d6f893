/** `node test/cluster/main.ts [items]`: three nodes and all around them, through a night of accidents. */
import { findPostgresPrograms } from '../../packages/server/src/store/testing/test-postgres.ts';
import { runCluster } from './run-cluster.ts';
import { findNginx } from './start-balancer.ts';

const DEFAULT_ITEMS = 20_000;

const [postgres, nginx] = [findPostgresPrograms(), await findNginx()];
if (postgres === undefined || nginx === undefined) {
  process.stdout.write('skipped: needs PostgreSQL and nginx (Debian: apt install postgresql nginx-light)\n');
} else {
  const items = Number(process.argv[2] ?? DEFAULT_ITEMS);
  const onProgress = (text: string): void => void process.stderr.write(`${text}\n`);
  const report = await runCluster({ postgres, nginx, items, onProgress });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const { lost, undocumented, batch } = report;
  const faults = [lost, undocumented, batch.absent, batch.repeated, batch.wrong].filter((list) => list.length > 0);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
