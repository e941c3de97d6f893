/**
 * Compares the service with bare loops that do only the necessary work:
 * `node bench/service/main.ts [--launches 3] [--rounds 4] [--seconds 5] [--warm-up 40]`. Rounds alternate, so that a busy
 * machine slows both sides; ratios compare the medians over the rounds of all launches. Each launch starts new processes,
 * because processes differ by a tenth. Both sides are warmed up first, in turns: V8 optimises a service over its first ten
 * thousand pages, which makes it twice as fast. Exits with 1 when a goal is missed.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createBareBrowser, createBareHttp, fetchHtml, requestHtml } from './bare-loops.ts';
import { median } from './median.ts';
import { startPages, startService } from './processes.ts';

const HTTP_CALLERS = 8;
const BROWSER_CALLERS = 4;
const GOALS = { http: 0.6, loopDelayMs: 20, chromium: 0.85, restMB: 150 } as const;

const { values } = parseArgs({
  options: {
    launches: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '40' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
/** At least one round. */
const warmUps = Math.max(1, Math.ceil(Number(values['warm-up']) / seconds));
/** The service's default. */
const threads = availableParallelism();

/** Pages per second of each round. */
const rates: Record<'fetch' | 'request' | 'http' | 'bareBrowser' | 'chromium', number[]> = {
  fetch: [],
  request: [],
  http: [],
  bareBrowser: [],
  chromium: [],
};
const loopDelaysMs: number[] = [];
const restMB: number[] = [];

const pages = await startPages();
try {
  for (let launch = 0; launch < Number(values.launches); launch += 1) await measureLaunch();
} finally {
  await pages.close();
}
const reached = [
  printRatio('http engine beside bare undici fetch, pages/s', rates.fetch, rates.http, GOALS.http),
  printRatio('http engine beside bare undici request, pages/s', rates.request, rates.http),
  printRatio('chrome engine, captures/s', rates.bareBrowser, rates.chromium, GOALS.chromium),
  printMost('event loop of the service, p99 delay under load', loopDelaysMs, 'ms', GOALS.loopDelayMs),
  printMost('resident memory when idle, no browser', restMB, 'MB', GOALS.restMB),
];
process.exitCode = reached.every(Boolean) ? 0 : 1;

async function measureLaunch(): Promise<void> {
  const service = await startService(pages, threads, BROWSER_CALLERS);
  restMB.push(service.measureRestMB());
  const bareFetch = createBareHttp(threads, fetchHtml);
  const bareRequest = createBareHttp(threads, requestHtml);
  const bareBrowser = await createBareBrowser();
  try {
    await alternate(HTTP_CALLERS, [
      { rates: rates.fetch, run: (url) => bareFetch.run(url) },
      { rates: rates.request, run: (url) => bareRequest.run(url) },
      {
        rates: rates.http,
        run: (url) => service.request('/v1/extract', { extract: { url } }),
        before: async () => void (await service.readLoopDelayMs()),
        after: async () => void loopDelaysMs.push(await service.readLoopDelayMs()),
      },
    ]);
    await alternate(BROWSER_CALLERS, [
      { rates: rates.bareBrowser, run: (url) => bareBrowser.run(url) },
      {
        rates: rates.chromium,
        run: (url) => service.request('/v1/dom/dump', { url, options: { engine_preference: 'chrome' } }),
      },
    ]);
  } finally {
    await bareBrowser.close();
    await bareRequest.close();
    await bareFetch.close();
    await service.close();
  }
}

type Work = (url: string) => Promise<void>;

interface Side {
  readonly rates: number[];
  readonly run: Work;
  /** Runs before each round. */
  readonly before?: () => Promise<void>;
  /** Runs after each measured round. */
  readonly after?: () => Promise<void>;
}

/** Warms up both sides, then measures rounds of each in turn. */
async function alternate(callers: number, sides: readonly Side[]): Promise<void> {
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const side of sides) {
      await side.before?.();
      const rate = await measureRate(callers, side.run);
      if (round < 0) continue;
      side.rates.push(rate);
      await side.after?.();
    }
  }
}

/** Returns pages per second over one round. */
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

/** Returns whether the goal is reached: true without a goal. */
function printRatio(name: string, bareRates: readonly number[], servedRates: readonly number[], goal = 0): boolean {
  const [bare, served] = [median(bareRates), median(servedRates)];
  const ratio = served / bare;
  const isReached = ratio >= goal;
  printLine(
    `${name}: bare ${bare.toFixed(1)}, service ${served.toFixed(1)}, ratio ${ratio.toFixed(3)}`,
    goal === 0 ? '' : `at least ${goal}`,
    isReached,
  );
  return isReached;
}

function printMost(name: string, figures: readonly number[], unit: string, goal: number): boolean {
  const most = Math.max(...figures);
  // Without figures the goal is missed.
  const isReached = figures.length > 0 && most < goal;
  printLine(`${name}: ${most.toFixed(1)} ${unit}`, `under ${goal}`, isReached);
  return isReached;
}

function printLine(text: string, goal: string, isReached: boolean): void {
  const end = goal === '' ? '' : ` (goal: ${goal}${isReached ? '' : '; MISSED'})`;
  process.stdout.write(`${text}${end}\n`);
}
