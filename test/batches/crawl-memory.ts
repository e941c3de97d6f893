import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchBody } from '@winnow/contract';
import { startRunning } from '../support/running-service.ts';
import { startCrawlSite } from './crawl-site.ts';

/** Links of each page that leads on. */
const LINKS = 10_000;
const ROUNDS = 10;

interface FrontierMemory {
  readonly addresses: number;
  /** Pages of the crawl, which its limit bounds. */
  readonly total: number;
  /** Least MiB after some garbage collections, while the crawl waits for a page. */
  readonly heap: number;
}

/** Crawls sites with ever more addresses, by a service in this process, and measures its memory while all are known. */
export async function measureFrontier(sizes: readonly number[]): Promise<FrontierMemory[]> {
  const running = await startRunning({
    WINNOW_CHROMIUM: 'none',
    WINNOW_BATCH_CONCURRENCY: '1',
    WINNOW_PROJECT_STORAGE_QUOTA: '0',
  });
  const gates: (() => void)[] = [];
  const site = await startCrawlSite(findPage, 0, gates);
  const call = async (address: string, body?: object): Promise<BatchBody> =>
    ((await running.call(address, body, body ? {} : { method: 'GET' })).body as unknown as { batch: BatchBody }).batch;
  try {
    const measured: FrontierMemory[] = [];
    for (const addresses of sizes) {
      const url = `${site.url}/start-${addresses}/`;
      const options = { engine_preference: 'http' };
      const { id } = await call('/v1/crawls', { url, limit: 100_000, sitemap: 'skip', respect_robots: false, options });
      while (gates.length === 0) await sleep(50);
      const { total } = await call(`/v1/crawls/${id}`);
      measured.push({ addresses, total, heap: await measureHeap() });
      await call(`/v1/crawls/${id}/cancel`, {});
      for (const open of gates.splice(0)) open();
    }
    return measured;
  } finally {
    await running.close();
    await site.close();
  }
}

/** The first leaf is held, when all pages with links were read. */
function findPage(path: string) {
  const [, start = '', hub] = path.split('/');
  if (hub === undefined || !start.startsWith('start-')) return undefined;
  const hubs = Math.ceil(Number(start.slice('start-'.length)) / LINKS);
  if (hub === '') return { links: Array.from({ length: hubs }, (_, index) => `/${start}/hub-${index}`) };
  if (!hub.startsWith('hub-')) return { isHeld: true };
  const letters = hub.slice('hub-'.length).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
  return { links: Array.from({ length: LINKS }, (_, index) => `/${start}/leaf-${letters}-${spell(index)}`) };
}

/** Without digits, which would make the pages of one shape. */
function spell(number: number): string {
  return number.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
}

/** What runs at the same time, and buffers that are freed after their objects, count for a moment only. */
async function measureHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
    await sleep(100);
  }
  setFlagsFromString('--no-expose-gc');
  return Math.round(least / 1024 / 1024);
}
