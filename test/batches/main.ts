/** `node test/batches/main.ts [items]`: the long form of the test, 20,000 pages by default. */
import { runKilledBatch } from './run-killed-batch.ts';

process.stdout.write(`${JSON.stringify(await runKilledBatch(Number(process.argv[2] ?? 20_000)), null, 2)}\n`);
