import { readHtml, readPage } from '../quality/benchmark-page.ts';
import { scorePage, type PageScore } from '../quality/score-page.ts';
import { BARE_PARSE, type Contender, type Runner } from './contenders.ts';

/** Times and scores of one contender by page, without pages that it skipped. */
export interface Measurement {
  readonly contender: Contender;
  /** Milliseconds by page id. */
  readonly times: Map<string, number>;
  readonly scores: PageScore[];
}

interface Entrant {
  readonly measurement: Measurement;
  readonly runner: Runner;
}

/**
 * Untimed pages before the measurement, so that every contender is compiled. After 25 pages the larger contenders are not
 * compiled yet.
 */
const WARM_UP_PAGES = 100;
/** Runs of each page; the fastest counts, which reduces the effect of other load. */
const ROUNDS = 2;

/**
 * Runs all contenders on each page in this process, each time starting with another one. A slow contender gets every
 * `slowStep`-th page.
 */
export async function measurePages(
  folder: string,
  ids: readonly string[],
  contenders: readonly Contender[],
  slowStep: number,
): Promise<Measurement[]> {
  const entrants: Entrant[] = [];
  for (const contender of [BARE_PARSE, ...contenders]) {
    entrants.push({ measurement: { contender, times: new Map(), scores: [] }, runner: await contender.load() });
  }
  await warmUp(folder, ids, entrants);
  for (const [index, id] of ids.entries()) {
    const present = entrants.filter(({ measurement }) => !measurement.contender.isSlow || index % slowStep === 0);
    await measurePage(folder, id, present, index);
  }
  return entrants.map(({ measurement }) => measurement);
}

async function warmUp(folder: string, ids: readonly string[], entrants: readonly Entrant[]): Promise<void> {
  const step = Math.max(1, Math.floor(ids.length / WARM_UP_PAGES));
  for (let i = 0; i < ids.length; i += step) {
    const html = readHtml(folder, ids[i]!);
    for (const { runner, measurement } of entrants) {
      if (!measurement.contender.isSlow || i < step * 3) await timeRun(runner, html, undefined);
    }
  }
}

async function measurePage(folder: string, id: string, entrants: readonly Entrant[], turn: number): Promise<void> {
  const page = readPage(folder, id);
  const html = readHtml(folder, id);
  for (let i = 0; i < entrants.length; i++) {
    const { runner, measurement } = entrants[(i + turn) % entrants.length]!;
    let best: Awaited<ReturnType<typeof timeRun>> | undefined;
    for (let round = 0; round < (measurement.contender.isSlow ? 1 : ROUNDS); round++) {
      const outcome = await timeRun(runner, html, page.url);
      if (best === undefined || outcome.milliseconds < best.milliseconds) best = outcome;
    }
    const { milliseconds, result, error } = best!;
    measurement.times.set(id, milliseconds);
    if (runner.read === undefined) continue;
    const outcome = error === undefined ? { extraction: runner.read(result as never) } : { error };
    measurement.scores.push(scorePage(page, { ...outcome, milliseconds }));
  }
}

async function timeRun(
  runner: Runner,
  html: string,
  url: string | undefined,
): Promise<{ milliseconds: number; result?: unknown; error?: string }> {
  const started = performance.now();
  try {
    const result = await runner.run(html, url);
    return { milliseconds: performance.now() - started, result };
  } catch (error) {
    return { milliseconds: performance.now() - started, error: String(error) };
  }
}
