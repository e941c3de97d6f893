/**
 * `node test/cluster/compare-nodes.ts [items]`: the same batch on one node and on two, over PostgreSQL. Its pages
 * take a second to answer, so that the network is the bottleneck and not this machine's cores. A simulation
 * predicts the run on two nodes from the run on one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPostgresPrograms, startTestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import { startSite } from '../batches/batch-site.ts';
import { createBatch, waitForDone } from './follow-batch.ts';
import { simulateBatch } from './simulate-batch.ts';
import { startNode } from './start-node.ts';

const SLOW_MS = 1000;
const CONCURRENCY = 4;

const programs = findPostgresPrograms();
if (programs === undefined) process.stdout.write('skipped: needs PostgreSQL (Debian: apt install postgresql)\n');
else await compare(programs, Number(process.argv[2] ?? 100));

async function compare(postgres: string, items: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-compare-'));
  const database = await startTestPostgres(postgres);
  const site = await startSite({ slowMs: SLOW_MS });
  try {
    const measure = async (count: number): Promise<number> => {
      const environment = {
        WINNOW_DATABASE_URL: await database.createDatabase(),
        WINNOW_EGRESS_ALLOW: new URL(site.url).host,
        WINNOW_BATCH_CONCURRENCY: String(CONCURRENCY),
      };
      const names = Array.from({ length: count }, (_, index) => `${count}-${index}`);
      const nodes = [await startNode(names[0] ?? '', folder, environment)];
      for (const name of names.slice(1)) nodes.push(await startNode(name, folder, environment));
      const target = { url: nodes[0]?.url ?? '', key: nodes[0]?.key ?? '' };
      const run = async (name: string, size: number): Promise<number> => {
        const started = performance.now();
        const urls = Array.from({ length: size }, (_, index) => site.slowUrl(index));
        const { id } = await createBatch(target, urls, name);
        await waitForDone(target, id, size);
        return performance.now() - started;
      };
      // The first pages load modules and start threads and connections.
      await run('warm-up', CONCURRENCY * count);
      const elapsed = await run('measured', items);
      await Promise.all(nodes.map((node) => node.kill()));
      return elapsed;
    };
    const one = await measure(1);
    const two = await measure(2);
    const perItemMs = (one * CONCURRENCY) / items;
    const foretold = simulateBatch({ items, places: 2 * CONCURRENCY, itemMs: perItemMs });
    const report = { items, one, two, perItemMs, ratio: one / two, foretold, error: foretold / two - 1 };
    process.stdout.write(
      `${JSON.stringify(report, (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value) as unknown, 2)}\n`,
    );
  } finally {
    await site.close();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
