import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { FoldWork } from './fold-worker.ts';
import { formatReport } from './format-report.ts';
import { listHosts, type SitePage } from './list-hosts.ts';
import type { measureHost } from './measure-hosts.ts';

const USAGE = `Measures what a site's other pages change, on real sites: by their evidence, and by their labels as marks of a person.

  node bench/sites/main.ts DATA MODELS [options]

DATA has sets in the layout of the WCXB benchmark; their pages are grouped by host. MODELS was written by
"training/train.py held-out": no page of a site trains the model that judges it.

  --sets A,B       default: wcxb-dev,weak-types,forums,news,blogs,shops
  --least N        least pages of a host (default 3)
  --others A,B     numbers of other pages (default 1,2,3,5)
  --orders N       choices of the others of each page (default 6)
  --json           print every outcome as JSON
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: 'string', default: 'wcxb-dev,weak-types,forums,news,blogs,shops' },
    least: { type: 'string', default: '3' },
    others: { type: 'string', default: '1,2,3,5' },
    orders: { type: 'string', default: '6' },
    json: { type: 'boolean', default: false },
  },
});
const [data, models] = positionals;
if (data === undefined || models === undefined || positionals.length > 2) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await run(data, models);
}

async function run(source: string, modelFolder: string): Promise<void> {
  const hosts = listHosts(source, values.sets.split(','), readCount('--least', values.least));
  const folds: Record<string, number> = JSON.parse(readFileSync(join(modelFolder, 'folds.json'), 'utf8'));
  const byFold = Map.groupBy(hosts, ([host, pages]) => findFold(host, pages, folds));
  const counts = values.others.split(',').map((count) => readCount('--others', count));
  const orders = readCount('--orders', values.orders);
  const measured: ReturnType<typeof measureHost>[] = [];
  for (const [fold, group] of [...byFold].toSorted(([a], [b]) => a - b)) {
    const model = join(modelFolder, `${fold}.ts`);
    const evidence = join(modelFolder, `${fold}-evidence.ts`);
    measured.push(...(await runFold({ model, evidence, hosts: group, counts, orders })));
  }
  const outcomes = measured.flatMap((host) => host.outcomes);
  if (values.json) process.stdout.write(`${JSON.stringify(outcomes)}\n`);
  else
    process.stdout.write(
      `${formatReport(
        outcomes,
        measured.map((host) => host.times),
      )}\n`,
    );
}

/** The fold whose model knows none of a host's pages; sets outside the training are unknown to every model. */
function findFold(host: string, pages: readonly SitePage[], folds: Readonly<Record<string, number>>): number {
  const [fold = 0, ...others] = new Set(pages.map((page) => folds[page.key]).filter((found) => found !== undefined));
  if (others.length > 0) throw new Error(`${host}: its pages are in several folds`);
  return fold;
}

function runFold(work: FoldWork): Promise<ReturnType<typeof measureHost>[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('fold-worker.ts', import.meta.url), { workerData: work });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a worker ended with code ${code} before it answered`)));
  });
}

function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${name} must be a whole number above 0, not "${text}"`);
  return count;
}
