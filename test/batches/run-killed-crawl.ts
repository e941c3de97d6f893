import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchResponse } from '@winnow/contract';
import { checkResults, createBatch, readBatch, waitForDone } from '../cluster/follow-batch.ts';
import type { BatchTarget, ResultCheck } from '../cluster/follow-batch.ts';
import { startNode } from '../cluster/start-node.ts';
import type { Node } from '../cluster/start-node.ts';
import { startTestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
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
    return { ...(await checkCrawl({ url: node.url, key }, site, id, pages)), doneAtKills };
  } finally {
    await node.kill();
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits for the end of a crawl, and compares its results with the requests to the site. */
async function checkCrawl(
  target: BatchTarget,
  site: CrawlSite,
  id: string,
  pages: number,
): Promise<Omit<KilledCrawlReport, 'doneAtKills'>> {
  await waitForDone(target, id, pages);
  const batch = await readBatch(target, id);
  const { lines, failed, absent, repeated } = await checkResults(target, id, pages);
  const counts = [...site.served].filter(([address]) => address === '/' || address.startsWith('/page-'));
  return {
    total: batch?.total ?? 0,
    lines,
    failed,
    absent,
    repeated,
    neverFetched: pages - counts.length,
    fetchedAgain: counts.reduce((sum, [, count]) => sum + count - 1, 0),
  };
}

export interface KilledNodeReport extends KilledCrawlReport {
  /** Bytes of snapshots of each node when the first one was killed. */
  readonly storedBy: readonly number[];
}

/**
 * Crawls a site with two nodes on one PostgreSQL, and kills one of them in the middle.
 * @param postgres folder of the programs
 */
export async function runKilledNode(postgres: string, pages: number): Promise<KilledNodeReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-crawl-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const site = await startTree(pages, 30);
    closers.push(() => site.close());
    const database = await startTestPostgres(postgres);
    closers.push(() => database.stop());
    const environment = {
      ...ENVIRONMENT,
      WINNOW_EGRESS_ALLOW: new URL(site.url).host,
      WINNOW_DATABASE_URL: await database.createDatabase(),
    };
    const nodes: Node[] = [];
    closers.push(() => Promise.all(nodes.map((node) => node.kill())));
    for (const name of ['one', 'two']) nodes.push(await startNode(name, folder, environment));
    const [one, two] = nodes as [Node, Node];
    const target = { url: two.url, key: one.key ?? '' };
    const id = await createCrawl(target, site.url, pages);
    const done = await waitForDone(target, id, Math.floor(pages / 2));
    const storedBy = await Promise.all(
      ['one', 'two'].map((name) => countSnapshotBytes(path.join(folder, name, 'snapshots'))),
    );
    await one.kill();
    return { ...(await checkCrawl(target, site, id, pages)), doneAtKills: [done], storedBy };
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** Snapshots lie in the data folder of the node that fetched the page. */
async function countSnapshotBytes(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files.map(async (file) =>
    file.isFile() ? (await stat(path.join(file.parentPath, file.name))).size : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
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
