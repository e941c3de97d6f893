import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listPageIds } from '../quality/benchmark-page.ts';
import { BARE_PARSE, PEERS, WINNOW, type Contender } from './contenders.ts';
import { measureHostile, runHostile } from './measure-hostile.ts';
import { measureMemory, runForMemory } from './measure-memory.ts';
import { measurePages } from './measure-pages.ts';
import { formatSpeed, formatTypes, summarizeSpeed, type SpeedSummary } from './summarize-speed.ts';

const USAGE = `Measures the speed of extraction beside other extractors, on the same pages, in turn, in one process.

  npm ci --prefix bench/speed          (once: installs the other extractors)
  node bench/speed/main.ts FOLDER...   folders in the layout of the WCXB benchmark, one table each
  node bench/speed/main.ts --hostile   hostile pages, only ours and parse5

  --limit N       at most N pages of each folder, evenly spaced
  --peers LIST    names or parts of names, separated by commas; "none" for only ours and parse5
  --ratios        omit the milliseconds
  --types         also print the word F1 by page type
  --no-memory     do not measure peak memory, which runs each contender again in a separate process
  --json          print the figures as JSON
`;

/** Approximate number of pages of a slow contender. */
const SLOW_PAGES = 60;
const MAIN = fileURLToPath(import.meta.url);

// Some extractors write to the console.
Object.assign(console, { error: ignore, log: ignore, warn: ignore });

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string' },
    peers: { type: 'string', default: '' },
    ratios: { type: 'boolean', default: false },
    types: { type: 'boolean', default: false },
    'no-memory': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
    // For the child processes of this program.
    only: { type: 'string' },
    task: { type: 'string', default: 'extract' },
    scale: { type: 'string', default: '1' },
    'memory-of': { type: 'string' },
  },
});
const [folder] = positionals;

if (values.hostile && values.only !== undefined)
  print(JSON.stringify(runHostile(values.only, values.task, Number(values.scale))));
else if (values.hostile) print(await measureHostile(MAIN));
else if (folder === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (values['memory-of'] !== undefined) print(String(await peakOf(folder, values['memory-of'])));
else await compareSets(positionals);

async function compareSets(folders: readonly string[]): Promise<void> {
  const sets: { set: string; summaries: readonly SpeedSummary[] }[] = [];
  for (const pages of folders) {
    const { summaries, types } = await compare(pages);
    sets.push({ set: basename(pages), summaries });
    if (values.json) continue;
    const heading = folders.length > 1 ? `## ${basename(pages)}\n\n` : '';
    print(
      `${heading}${formatSpeed(summaries, !values.ratios)}${values.types ? `\n${types}` : ''}${folders.length > 1 ? '\n' : ''}`,
    );
  }
  if (values.json) print(JSON.stringify(sets.length === 1 ? sets[0]!.summaries : sets, null, 1));
}

async function compare(pages: string): Promise<{ summaries: readonly SpeedSummary[]; types: string }> {
  const ids = choosePages(pages);
  const contenders = [WINNOW, ...choosePeers()];
  const measurements = await measurePages(pages, ids, contenders, slowStep(ids));
  const peaks = new Map<string, number>();
  if (!values['no-memory']) {
    const args = values.limit === undefined ? [] : ['--limit', values.limit];
    for (const { name } of [BARE_PARSE, ...contenders]) peaks.set(name, await measureMemory(MAIN, pages, args, name));
  }
  return { summaries: summarizeSpeed(measurements, peaks), types: formatTypes(measurements) };
}

async function peakOf(pages: string, name: string): Promise<number> {
  const contender = [BARE_PARSE, WINNOW, ...PEERS].find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`there is no contender "${name}"`);
  const ids = choosePages(pages);
  return runForMemory(pages, contender.isSlow ? ids.filter((_, index) => index % slowStep(ids) === 0) : ids, contender);
}

function slowStep(ids: readonly string[]): number {
  return Math.max(1, Math.floor(ids.length / SLOW_PAGES));
}

function choosePages(pages: string): string[] {
  const ids = listPageIds(pages);
  const limit = values.limit === undefined ? ids.length : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1) throw new Error(`--limit must be a whole number, not "${values.limit}"`);
  if (limit >= ids.length) return ids;
  return Array.from({ length: limit }, (_, index) => ids[Math.floor((index * ids.length) / limit)] ?? '');
}

function choosePeers(): readonly Contender[] {
  if (values.peers === '') return PEERS;
  if (values.peers === 'none') return [];
  const parts = values.peers.split(',');
  for (const part of parts) {
    if (!PEERS.some(({ name }) => name.includes(part))) {
      throw new Error(`no peer is called "${part}"; there are ${PEERS.map(({ name }) => name).join(', ')}`);
    }
  }
  return PEERS.filter(({ name }) => parts.some((part) => name.includes(part)));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function ignore(): void {}
