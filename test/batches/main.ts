/**
 * `node test/batches/main.ts [items]`: the long form of the test of a killed batch, 20,000 pages by default.
 * `node test/batches/main.ts crawl [pages]`: the time of a crawl against that of a batch of the same pages, 1,000 by default.
 * `node test/batches/main.ts memory [addresses]`: the memory of a service whose crawl has found that number of addresses, 1,000,000 by default.
 */
import { measureFrontier } from './crawl-memory.ts';
import { runKilledBatch } from './run-killed-batch.ts';
import { compareWithBatch } from './run-killed-crawl.ts';

const [what, pages] = process.argv.slice(2);
const number = (fallback: number): number => Number(pages ?? fallback);
const report =
  what === 'crawl'
    ? await compareWithBatch(number(1000))
    : what === 'memory'
      ? await measureFrontier([10_000, 20_000, number(1_000_000)])
      : await runKilledBatch(Number(what ?? 20_000));
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
