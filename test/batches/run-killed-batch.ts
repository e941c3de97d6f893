import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkResults, createBatch, waitForDone } from '../cluster/follow-batch.ts';
import type { ResultCheck } from '../cluster/follow-batch.ts';
import { startNode } from '../cluster/start-node.ts';
import { startSite } from './batch-site.ts';

export interface KilledBatchReport extends ResultCheck {
  readonly items: number;
  readonly finishedBeforeKill: number;
  /** Pages fetched more than once because of the kill. */
  readonly fetchedAgain: number;
  readonly elapsedMs: number;
}

/**
 * Runs a batch on a service with the embedded defaults, ends its process with SIGKILL half-way, starts it
 * again on the same data, and reads the results.
 */
export async function runKilledBatch(items: number): Promise<KilledBatchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-batch-'));
  const site = await startSite();
  const environment = {
    WINNOW_EGRESS_ALLOW: new URL(site.url).host,
    WINNOW_BATCH_CONCURRENCY: '16',
    WINNOW_HOST_CONCURRENCY: '64',
    WINNOW_CONCURRENCY: '32',
  };
  const started = performance.now();
  let node = await startNode('one', folder, environment);
  const key = node.key ?? '';
  try {
    const urls = Array.from({ length: items }, (_, index) => site.pageUrl(index));
    // However fast the machine is, the kill comes before the last page.
    site.holdAfter(Math.floor(items * 0.75));
    const { id } = await createBatch({ url: node.url, key }, urls, 'once');
    const finishedBeforeKill = await waitForDone({ url: node.url, key }, id, Math.floor(items / 2));
    await node.kill();
    site.release();
    node = await startNode('one', folder, environment);
    // A caller that cannot know whether its request succeeded repeats it.
    await createBatch({ url: node.url, key }, urls, 'once');
    await waitForDone({ url: node.url, key }, id, items);
    const check = await checkResults({ url: node.url, key }, id, items);
    const fetchedAgain = [...site.served.values()].filter((count) => count > 1).length;
    return { items, finishedBeforeKill, fetchedAgain, elapsedMs: Math.round(performance.now() - started), ...check };
  } finally {
    await node.kill();
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
}
