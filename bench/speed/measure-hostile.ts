import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parse } from 'parse5';
import { extract } from '@winnow/extract';
import { HOSTILE_PAGES } from '../../packages/extract/test/hostile-pages.ts';
import { formatTable } from '../quality/format-report.ts';

const run = promisify(execFile);
const ROUNDS = 3;
const LONG_MS = 1_000;

/** Times of one hostile page and the peak memory of the process that made them. */
interface HostileRun {
  readonly bytes: number;
  readonly parseMs: number;
  readonly extractMs: number;
  /** Peak above what the process needed before it saw the page. */
  readonly megabytes: number;
}

/** Each hostile page at half and at full size, in processes of their own; returns the table. */
export async function measureHostile(main: string): Promise<string> {
  const rows: string[][] = [];
  for (const { name } of HOSTILE_PAGES) {
    const half = await runApart(main, name, 0.5);
    const full = await runApart(main, name, 1);
    rows.push([
      name,
      (full.bytes / 1e6).toFixed(1),
      full.parseMs.toFixed(1),
      full.extractMs.toFixed(1),
      // Below a millisecond the fixed cost of a call is all there is.
      full.extractMs < 1 ? '-' : (full.extractMs / full.parseMs).toFixed(1),
      half.megabytes.toFixed(0),
      full.megabytes.toFixed(0),
    ]);
  }
  const heads = ['page', 'MB', 'parse5 ms', 'extract ms', 'ratio', 'MB used, half size', 'MB used, full size'];
  return formatTable(heads, rows);
}

async function runApart(main: string, name: string, scale: number): Promise<HostileRun> {
  const { stdout } = await run(process.execPath, [main, '--hostile', '--only', name, '--scale', String(scale)]);
  const result: HostileRun = JSON.parse(stdout);
  return result;
}

/** What such a process does. Extraction comes first, so that the peak is its own. */
export function runHostile(name: string, scale: number): HostileRun {
  const page = HOSTILE_PAGES.find((candidate) => candidate.name === name);
  if (page === undefined) throw new Error(`there is no hostile page "${name}"`);
  for (let i = 0; i < 300; i++) {
    extract('<article><h1>Title</h1><p>Some words of text, and a <a href="/">link</a>.</p></article>');
    parse('<article><h1>Title</h1><p>Some words of text.</p></article>');
  }
  const html = page.build(scale);
  const before = process.resourceUsage().maxRSS;
  const extractMs = time(() => extract(html, { url: 'https://example.org/' }));
  const megabytes = (process.resourceUsage().maxRSS - before) / 1024;
  const parseMs = time(() => parse(html));
  return { bytes: Buffer.byteLength(html), parseMs, extractMs, megabytes };
}

/** The fastest of some runs, in milliseconds; what takes long runs once. */
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
