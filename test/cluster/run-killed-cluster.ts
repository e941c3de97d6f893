import { checkResults, createBatch, waitForDone } from './follow-batch.ts';
import type { ResultCheck } from './follow-batch.ts';
import { startCluster } from './start-cluster.ts';

export interface KilledClusterOptions {
  /** Folder of the programs of PostgreSQL, and the program nginx. */
  readonly postgres: string;
  readonly nginx: string;
  readonly items: number;
  readonly onProgress: (text: string) => void;
}

export interface KilledClusterReport extends ResultCheck {
  readonly items: number;
  readonly finishedBeforeKill: number;
  /** Pages fetched more than once because of the kill. */
  readonly fetchedAgain: number;
  /** Milliseconds from the request to the last item, including the outage. */
  readonly elapsedMs: number;
}

/** Milliseconds of outage. */
const DOWN_MS = 1000;

/**
 * Gives a batch to three nodes, ends all of them and PostgreSQL with SIGKILL in the middle, restarts them on the same
 * data, and reads the results.
 */
export async function runKilledCluster(options: KilledClusterOptions): Promise<KilledClusterReport> {
  const { items, onProgress } = options;
  const environment = { WINNOW_BATCH_CONCURRENCY: '8', WINNOW_HOST_CONCURRENCY: '64', WINNOW_CONCURRENCY: '32' };
  const cluster = await startCluster({ ...options, browsers: 0, environment });
  try {
    const { site, database, nodes, target } = cluster;
    const started = performance.now();
    const urls = Array.from({ length: items }, (_, index) => site.pageUrl(index));
    // However fast the machine is, the kill comes before the last page.
    site.holdAfter(Math.floor(items * 0.75));
    const { id } = await createBatch(target, urls, 'once');
    onProgress(`three nodes work on ${items} pages`);
    const finishedBeforeKill = await waitForDone(target, id, Math.floor(items / 2));
    onProgress(`${finishedBeforeKill} are done: every node and PostgreSQL are killed`);
    await Promise.all([...nodes.map((node) => node.kill()), database.crash(DOWN_MS)]);
    site.release();
    for (const index of nodes.keys()) await cluster.startAgain(index);
    onProgress('everything runs again');
    // A caller that cannot know whether its request succeeded repeats it.
    await createBatch(target, urls, 'once');
    await waitForDone(target, id, items);
    const elapsedMs = Math.round(performance.now() - started);
    const check = await checkResults(target, id, items);
    const fetchedAgain = [...site.served.values()].filter((count) => count > 1).length;
    return { items, finishedBeforeKill, fetchedAgain, elapsedMs, ...check };
  } finally {
    await cluster.close();
  }
}
