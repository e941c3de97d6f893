import { Worker } from 'node:worker_threads';
import { extract } from '@winnow/extract';
import { readHtml, readPage } from './benchmark-page.ts';
import { scorePage, type PageScore } from './score-page.ts';

/** Extracts and scores pages one after the other; reading the file is not timed. */
export function scorePagesHere(folder: string, ids: readonly string[]): PageScore[] {
  return ids.map((id) => {
    const page = readPage(folder, id);
    const html = readHtml(folder, id);
    const started = performance.now();
    try {
      const extraction = extract(html, page.url === undefined ? {} : { url: page.url });
      return scorePage(page, { extraction, milliseconds: performance.now() - started });
    } catch (error) {
      return scorePage(page, { error: String(error), milliseconds: performance.now() - started });
    }
  });
}

/** Does the same on `count` worker threads, each with every `count`-th page; keeps the order of `ids`. */
export async function scorePagesOnWorkers(folder: string, ids: readonly string[], count: number): Promise<PageScore[]> {
  const shares = Array.from({ length: count }, (_, worker) => ids.filter((_id, index) => index % count === worker));
  const scores = (await Promise.all(shares.map((part) => runWorker(folder, part)))).flat();
  const byId = new Map(scores.map((score) => [score.id, score]));
  return ids.map((id) => byId.get(id)).filter((score) => score !== undefined);
}

function runWorker(folder: string, ids: readonly string[]): Promise<PageScore[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('score-worker.ts', import.meta.url), { workerData: { folder, ids } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a worker ended with code ${code} before it answered`)));
  });
}
