import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchResponse } from '@winnow/contract';
import { checkResults, createBatch, readBatch, waitForDone } from '../cluster/follow-batch.ts';
import type { BatchTarget, ResultCheck } from '../cluster/follow-batch.ts';
import { startNode } from '../cluster/start-node.ts';
import { startCrawlSite } from './crawl-site.ts';
import type { CrawlSite } from './crawl-site.ts';

/** Items that one process works on. */
export const IN_FLIGHT = 8;

const ENVIRONMENT = {
  WINNOW_BATCH_CONCURRENCY: String(IN_FLIGHT),
  WINNOW_HOST_CONCURRENCY: '64',
  WINNOW_HOST_SPACING: '0s',
  WINNOW_CONCURRENCY: '32',
};

/** Links of a page to pages that no earlier page links to, and to others. */
const CHILDREN = 4;
const KNOWN = 20;

/** A site whose page n links to the pages 4n+1 to 4n+4 and, in several forms, to pages that have other links. */
function startTree(pages: number, delayMs: number): Promise<CrawlSite> {
  return startCrawlSite((address) => {
    const number = address === '/' ? 0 : Number(/^\/page-(\d+)$/.exec(address)?.[1] ?? Number.NaN);
    if (!(number < pages)) return undefined;
    const children = Array.from({ length: CHILDREN }, (_, index) => CHILDREN * number + 1 + index);
    const known = Array.from({ length: KNOWN }, (_, index) => (number * 7 + index * 31) % (number + 1));
    const links = [...children.filter((child) => child < pages), ...known].map((child, index) =>
      child === 0 ? '/' : `/page-${child}${index % 3 === 1 ? '?utm_source=tree' : index % 3 === 2 ? '#part' : ''}`,
    );
    return { links };
  }, delayMs);
}

export interface KilledCrawlReport extends Pick<ResultCheck, 'lines' | 'failed' | 'absent' | 'repeated'> {
  readonly total: number;
  readonly neverFetched: number;
  readonly fetchedAgain: number;
  readonly doneAtKills: readonly number[];
}

/** Crawls a site with a service that is killed several times and started again on the same data. */
export async function runKilledCrawl(pages: number, kills: number): Promise<KilledCrawlReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-crawl-'));
  const site = await startTree(pages, 30);
  const environment = { ...ENVIRONMENT, WINNOW_EGRESS_ALLOW: new URL(site.url).host };
  let node = await startNode('one', folder, environment);
  const key = node.key ?? '';
  const doneAtKills: number[] = [];
  try {
    const id = await createCrawl({ url: node.url, key }, site.url, pages);
    for (let kill = 1; kill <= kills; kill += 1) {
      doneAtKills.push(await waitForDone({ url: node.url, key }, id, Math.floor((pages * kill) / (kills + 1))));
      await node.kill();
      node = await startNode('one', folder, environment);
    }
    await waitForDone({ url: node.url, key }, id, pages);
    const batch = await readBatch({ url: node.url, key }, id);
    const { lines, failed, absent, repeated } = await checkResults({ url: node.url, key }, id, pages);
    const counts = [...site.served].filter(([address]) => address === '/' || address.startsWith('/page-'));
    return {
      total: batch?.total ?? 0,
      lines,
      failed,
      absent,
      repeated,
      neverFetched: pages - counts.length,
      fetchedAgain: counts.reduce((sum, [, count]) => sum + count - 1, 0),
      doneAtKills,
    };
  } finally {
    await node.kill();
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures a crawl of a site against a batch of the same pages, in milliseconds. */
export async function compareWithBatch(pages: number): Promise<{ crawlMs: number; batchMs: number; ratio: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-crawl-'));
  const site = await startTree(pages, 0);
  const node = await startNode('one', folder, { ...ENVIRONMENT, WINNOW_EGRESS_ALLOW: new URL(site.url).host });
  const target = { url: node.url, key: node.key ?? '' };
  const measure = async (start: () => Promise<string>): Promise<number> => {
    const started = performance.now();
    const id = await start();
    for (;;) {
      const batch = await readBatch(target, id);
      if (batch?.counts.done === pages) return Math.round(performance.now() - started);
      await sleep(100);
    }
  };
  try {
    const urls = Array.from({ length: pages }, (_, index) => `${site.url}/${index === 0 ? '' : `page-${index}`}`);
    const asBatch = async (): Promise<string> => (await createBatch(target, urls, crypto.randomUUID())).id;
    const asCrawl = (): Promise<string> => createCrawl(target, site.url, pages);
    // The first pages of a process are slow; alternating evens out the rest.
    await measure(asBatch);
    const first = { crawl: await measure(asCrawl), batch: await measure(asBatch) };
    const second = { crawl: await measure(asCrawl), batch: await measure(asBatch) };
    const [crawlMs, batchMs] = [first.crawl + second.crawl, first.batch + second.batch];
    return { crawlMs, batchMs, ratio: Math.round((crawlMs / batchMs) * 100) / 100 };
  } finally {
    await node.kill();
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function createCrawl({ url, key }: BatchTarget, site: string, limit: number): Promise<string> {
  const response = await fetch(`${url}/v1/crawls`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify({ url: `${site}/`, limit, sitemap: 'skip' }),
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as BatchResponse).batch.id;
}
