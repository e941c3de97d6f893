/**
 * Measures how a noisy key slows another key: `node bench/service/noisy-tenant.ts [--noisy 200] [--waits 0,50,100,1000]
 * [--rounds 4] [--requests 15] [--engine chrome]`. With `--engine` both request captures, otherwise extractions. The other key
 * sends one request at a time to sites that answer after `--waits` milliseconds, in turns alone and beside `--noisy`
 * concurrent requests of the noisy key; the ratio compares the medians. Callers and sites share the machine's processors with the
 * service, which uses all of them when sites answer at once.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from './median.ts';
import { startPages, startService } from './processes.ts';

const GOAL = 2;
/** Concurrent captures: the default. */
const BROWSERS = 3;
/** Milliseconds in which the noisy key fills the queue before the measurement. */
const FILL_MS = 1000;

const { values } = parseArgs({
  options: {
    noisy: { type: 'string', default: '200' },
    waits: { type: 'string', default: '0,50,100,1000' },
    rounds: { type: 'string', default: '4' },
    requests: { type: 'string', default: '15' },
    engine: { type: 'string' },
  },
});

const pages = await startPages();
const service = await startService(pages, availableParallelism(), BROWSERS);
try {
  const noisyKey = await service.addKey();
  const send = (waitMs: number, key?: string): Promise<void> => {
    const url = pages.nextSlowUrl(waitMs);
    return values.engine === undefined
      ? service.request('/v1/extract', { extract: { url } }, key)
      : service.request('/v1/dom/dump', { url, options: { engine_preference: values.engine } }, key);
  };
  const measureModest = async (waitMs: number, latencies: number[]): Promise<void> => {
    for (let count = 0; count < Number(values.requests); count += 1) {
      const start = performance.now();
      await send(waitMs);
      latencies.push(performance.now() - start);
    }
  };
  const besideNoisy = async (waitMs: number, work: () => Promise<void>): Promise<void> => {
    const over = new AbortController();
    const call = async (): Promise<void> => {
      // With that many requests some are refused: retry later.
      while (!over.signal.aborted) await send(waitMs, noisyKey).catch(() => sleep(FILL_MS));
    };
    const noisy = Array.from({ length: Number(values.noisy) }, call);
    await sleep(FILL_MS);
    await work();
    over.abort();
    await Promise.all(noisy);
  };
  for (const waitMs of values.waits.split(',').map(Number)) {
    const [alone, beside]: [number[], number[]] = [[], []];
    await besideNoisy(waitMs, () => measureModest(waitMs, []));
    for (let round = 0; round < Number(values.rounds); round += 1) {
      await measureModest(waitMs, alone);
      await besideNoisy(waitMs, () => measureModest(waitMs, beside));
    }
    const ratio = median(beside) / median(alone);
    process.stdout.write(
      `sites that answer after ${waitMs} ms: alone ${median(alone).toFixed(0)} ms, beside ${values.noisy} requests of ` +
        `another key ${median(beside).toFixed(0)} ms, ratio ${ratio.toFixed(2)} (goal: under ${GOAL})\n`,
    );
    if (ratio >= GOAL) process.exitCode = 1;
  }
} finally {
  await service.close();
  await pages.close();
}
