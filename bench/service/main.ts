/**
 * The service against bare loops that do only what cannot be left out, as ratios in one run:
 * `node bench/service/main.ts [--seconds 10] [--rounds 3] [--warm-up 40]`. Rounds alternate, so that a busy machine
 * slows both; a ratio is that of the medians. Both sides are warmed up first, for so many seconds each and in turns: V8
 * goes on optimising a service over its first ten thousand pages, in which it becomes twice as fast.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createBareBrowser, createBareHttp, fetchHtml, requestHtml } from './bare-loops.ts';
import { startPages, startService } from './processes.ts';

const HTTP_CALLERS = 8;
const BROWSER_CALLERS = 4;
const GOALS = { http: 0.6, loopDelayMs: 20, chromium: 0.85, restMiB: 150 } as const;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '40' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
/** A round of each at least. */
const warmUps = Math.max(1, Math.ceil(Number(values['warm-up']) / seconds));
/** As many as the service takes by itself. */
const threads = availableParallelism();

const pages = await startPages();
const service = await startService(pages, threads, BROWSER_CALLERS);
const restMiB = await service.measureRestMiB();
const bareFetch = createBareHttp(threads, fetchHtml);
const bareRequest = createBareHttp(threads, requestHtml);
const bareBrowser = await createBareBrowser();
try {
  const loopDelays: number[] = [];
  const http = await compare(HTTP_CALLERS, {
    fetch: { run: (url) => bareFetch.run(url) },
    request: { run: (url) => bareRequest.run(url) },
    service: {
      run: (url) => service.request('/v1/extract', { extract: { url } }),
      before: async () => void (await service.readLoopDelayMs()),
      after: async () => void loopDelays.push(await service.readLoopDelayMs()),
    },
  });
  const chromium = await compare(BROWSER_CALLERS, {
    bare: { run: (url) => bareBrowser.run(url) },
    service: { run: (url) => service.request('/v1/dom/dump', { url, options: { engine_preference: 'chrome' } }) },
  });
  print('http engine beside bare undici fetch, pages/s', http.fetch, http.service, GOALS.http);
  print('http engine beside bare undici request, pages/s', http.request, http.service);
  print('chrome engine, captures/s', chromium.bare, chromium.service, GOALS.chromium);
  const delay = Math.max(...loopDelays).toFixed(1);
  process.stdout.write(
    `event loop of the service, p99 delay under load: ${delay} ms (goal: under ${GOALS.loopDelayMs})\n`,
  );
  process.stdout.write(`resident memory at rest, no browser: ${restMiB} MiB (goal: under ${GOALS.restMiB})\n`);
} finally {
  await bareBrowser.close();
  await bareRequest.close();
  await bareFetch.close();
  await service.close();
  await pages.close();
}

type Work = (url: string) => Promise<void>;

interface Side {
  readonly run: Work;
  /** Before each of its rounds. */
  readonly before?: () => Promise<void>;
  /** After each of its rounds that count. */
  readonly after?: () => Promise<void>;
}

/** The median rate of each side. */
async function compare<Name extends string>(callers: number, sides: Record<Name, Side>): Promise<Record<Name, number>> {
  const all = Object.entries<Side>(sides).map(([name, side]) => ({ name, side, rates: [] as number[] }));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const { side, rates } of all) {
      await side.before?.();
      const rate = await measureRate(callers, side.run);
      if (round < 0) continue;
      rates.push(rate);
      await side.after?.();
    }
  }
  return Object.fromEntries(all.map(({ name, rates }) => [name, median(rates)])) as Record<Name, number>;
}

/** Pages a second over the time of one round. */
async function measureRate(callers: number, work: Work): Promise<number> {
  const start = performance.now();
  let done = 0;
  const call = async (): Promise<void> => {
    while (performance.now() - start < seconds * 1000) {
      await work(pages.nextUrl());
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return done / ((performance.now() - start) / 1000);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function print(name: string, bare: number, served: number, goal?: number): void {
  const wanted = goal === undefined ? '' : ` (goal: at least ${goal})`;
  const ratio = (served / bare).toFixed(2);
  process.stdout.write(`${name}: bare ${bare.toFixed(1)}, service ${served.toFixed(1)}, ratio ${ratio}${wanted}\n`);
}
