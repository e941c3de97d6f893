/**
 * `node test/batches/main.ts [items]`: the long form of the test of a killed batch, 20,000 pages by default.
 * `node test/batches/main.ts crawl [pages]`: the time of a crawl against that of a batch of the same pages, 1,000 by default.
 */
import { runKilledBatch } from './run-killed-batch.ts';
import { compareWithBatch } from './run-killed-crawl.ts';

const [what, pages] = process.argv.slice(2);
const report =
  what === 'crawl' ? await compareWithBatch(Number(pages ?? 1000)) : await runKilledBatch(Number(what ?? 20_000));
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
