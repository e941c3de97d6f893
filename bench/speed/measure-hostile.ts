import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parse } from 'parse5';
import { extract } from '@winnow/extract';
import { HOSTILE_PAGES } from '../../packages/extract/test/hostile-pages.ts';
import { formatTable } from '../quality/format-report.ts';

const run = promisify(execFile);
const ROUNDS = 3;
const LONG_MS = 1_000;
/** Limits of a bare parse: some pages have a tree of quadratic size. */
const MAX_HEAP_MB = 2_048;
const MAX_PARSE_MS = 60_000;

type HostileTask = 'extract' | 'parse';

/** Time of a task on one hostile page and the peak memory of its process. */
interface HostileRun {
  readonly bytes: number;
  readonly milliseconds: number;
  /** Growth of the process's peak memory. */
  readonly megabytes: number;
}

/** Extracts each hostile page at half and at full size and parses it, in separate processes; returns the table. */
export async function measureHostile(main: string): Promise<string> {
  const rows: string[][] = [];
  for (const { name } of HOSTILE_PAGES) {
    const half = await runApart(main, name, 'extract', 0.5);
    const full = await runApart(main, name, 'extract', 1);
    const bare = await parseApart(main, name);
    rows.push([
      name,
      (full.bytes / 1e6).toFixed(1),
      typeof bare === 'string' ? bare : bare.milliseconds.toFixed(1),
      full.milliseconds.toFixed(1),
      // Below a millisecond the fixed cost of a call dominates.
      typeof bare === 'string' || full.milliseconds < 1 ? '-' : (full.milliseconds / bare.milliseconds).toFixed(1),
      half.megabytes.toFixed(0),
      full.megabytes.toFixed(0),
    ]);
  }
  const heads = ['page', 'MB', 'parse5 ms', 'extract ms', 'ratio', 'MB used, half size', 'MB used, full size'];
  return formatTable(heads, rows);
}

/** Returns the limit that the parse exceeded, if it did. */
async function parseApart(main: string, name: string): Promise<HostileRun | string> {
  try {
    return await runApart(main, name, 'parse', 1);
  } catch (error) {
    const { killed, signal } = error as { killed?: boolean; signal?: string | null };
    if (killed === true) return `over ${MAX_PARSE_MS / 1_000} s`;
    // V8 aborts when it runs out of memory.
    if (signal === 'SIGABRT') return `over ${MAX_HEAP_MB / 1_024} GB`;
    throw error;
  }
}

async function runApart(main: string, name: string, task: HostileTask, scale: number): Promise<HostileRun> {
  const [limits, timeout] = task === 'parse' ? [[`--max-old-space-size=${MAX_HEAP_MB}`], MAX_PARSE_MS] : [[], 0];
  const options = ['--hostile', '--only', name, '--task', task, '--scale', String(scale)];
  const { stdout } = await run(process.execPath, [...limits, main, ...options], { timeout, killSignal: 'SIGKILL' });
  const result: HostileRun = JSON.parse(stdout);
  return result;
}

/** Runs a task in the child process. */
export function runHostile(name: string, task: string, scale: number): HostileRun {
  const page = HOSTILE_PAGES.find((candidate) => candidate.name === name);
  if (page === undefined) throw new Error(`there is no hostile page "${name}"`);
  const action = task === 'parse' ? parse : (html: string) => extract(html, { url: 'https://example.org/' });
  for (let i = 0; i < 300; i++) {
    action('<article><h1>Title</h1><p>Some words of text, and a <a href="/">link</a>.</p></article>');
  }
  const html = page.build(scale);
  const before = process.resourceUsage().maxRSS;
  const milliseconds = time(() => action(html));
  const megabytes = (process.resourceUsage().maxRSS - before) / 1024;
  return { bytes: Buffer.byteLength(html), milliseconds, megabytes };
}

/** Returns the fastest run in milliseconds; long actions run once. */
function time(action: () => unknown): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    action();
    best = Math.min(best, performance.now() - started);
    if (best > LONG_MS) break;
  }
  return best;
}
