/**
 * The service against bare loops that do only what cannot be left out, as ratios in one run:
 * `node bench/service/main.ts [--seconds 10] [--rounds 3] [--warm-up 40]`. Rounds alternate, so that a busy machine
 * slows both; a ratio is that of the medians. Both sides are warmed up first, for so many seconds each and in turns: V8
 * goes on optimising a service over its first ten thousand pages, in which it becomes twice as fast.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createBareBrowser, createBareFetch } from './bare-loops.ts';
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
const bareFetch = createBareFetch(threads);
const bareBrowser = await createBareBrowser();
try {
  const extract = (url: string) => service.request('/v1/extract', { extract: { url } });
  const dump = (url: string) => service.request('/v1/dom/dump', { url, options: { engine_preference: 'chrome' } });
  const loopDelays: number[] = [];
  const http = await compare(
    HTTP_CALLERS,
    (url) => bareFetch.run(url),
    extract,
    async () => {
      loopDelays.push(await service.readLoopDelayMs());
    },
  );
  const chromium = await compare(BROWSER_CALLERS, (url) => bareBrowser.run(url), dump);
  print([
    ['http engine, pages/s', http, GOALS.http],
    ['chrome engine, captures/s', chromium, GOALS.chromium],
  ]);
  const delay = Math.max(...loopDelays).toFixed(1);
  process.stdout.write(
    `event loop of the service, p99 delay under load: ${delay} ms (goal: under ${GOALS.loopDelayMs})\n`,
  );
  process.stdout.write(`resident memory at rest, no browser: ${restMiB} MiB (goal: under ${GOALS.restMiB})\n`);
} finally {
  await bareBrowser.close();
  await bareFetch.close();
  await service.close();
  await pages.close();
}

interface Compared {
  readonly bare: number;
  readonly service: number;
}

type Work = (url: string) => Promise<void>;

async function compare(
  callers: number,
  bare: Work,
  served: Work,
  afterServed?: () => Promise<void>,
): Promise<Compared> {
  const rates = { bare: [] as number[], service: [] as number[] };
  for (let round = -warmUps; round < rounds; round += 1) {
    const bareRate = await measureRate(callers, bare);
    await service.readLoopDelayMs();
    const servedRate = await measureRate(callers, served);
    if (round < 0) continue;
    await afterServed?.();
    rates.bare.push(bareRate);
    rates.service.push(servedRate);
  }
  return { bare: median(rates.bare), service: median(rates.service) };
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

function print(rows: readonly (readonly [string, Compared, number])[]): void {
  for (const [name, { bare, service: served }, goal] of rows) {
    const ratio = (served / bare).toFixed(2);
    process.stdout.write(
      `${name}: bare ${bare.toFixed(1)}, service ${served.toFixed(1)}, ratio ${ratio} (goal: at least ${goal})\n`,
    );
  }
}
