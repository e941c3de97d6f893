import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { listPageIds } from './benchmark-page.ts';
import { formatSummaries, formatWorst } from './format-report.ts';
import type { PageScore } from './score-page.ts';
import { scoreResultsFile } from './score-results-file.ts';
import { summarizeScores, type Summary } from './summarize-scores.ts';

const USAGE = `Measures the quality of extraction on labelled pages.

  node bench/quality/main.ts FOLDER... [options]

Each FOLDER has the layout of the WCXB benchmark: html/ID.html.gz (or html/ID.html) and ground-truth/ID.json. A field that
is missing in the truth is not scored; null in the truth means that the page has no such field.

  --results FILE   score a JSON Lines file written by "winnow batch" instead of running the library (one folder)
  --limit N        at most N pages of each folder, evenly spaced
  --workers N      run on N worker threads (default 1: this thread)
  --worst N        list the N pages with the lowest word F1
  --json           print the summaries and the score of every page as JSON
`;

interface Options {
  readonly folders: readonly string[];
  readonly results: string | undefined;
  readonly limit: number | undefined;
  readonly workers: number;
  readonly worst: number;
  readonly json: boolean;
}

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await run(options);
}

interface SetScores {
  readonly set: string;
  readonly summaries: readonly Summary[];
  readonly pages: readonly PageScore[];
}

async function run(chosen: Options): Promise<void> {
  const sets: SetScores[] = [];
  for (const folder of chosen.folders) {
    const pages = await scorePages(folder, chosen);
    sets.push({ set: basename(folder), summaries: summarizeScores(pages), pages });
  }
  if (chosen.json) {
    const [only] = sets;
    const output = sets.length === 1 ? { summaries: only!.summaries, pages: only!.pages } : { sets };
    process.stdout.write(`${JSON.stringify(output, null, 1)}\n`);
    return;
  }
  for (const { set, summaries, pages } of sets) {
    if (sets.length > 1) process.stdout.write(`## ${set}\n\n`);
    process.stdout.write(`${formatSummaries(summaries)}\n`);
    if (chosen.worst > 0) process.stdout.write(`\n${formatWorst(pages, chosen.worst)}\n`);
    if (sets.length > 1) process.stdout.write('\n');
  }
}

async function scorePages(folder: string, chosen: Options): Promise<PageScore[]> {
  const ids = thinOut(listPageIds(folder), chosen.limit);
  if (chosen.results !== undefined) return scoreResultsFile(folder, ids, chosen.results);
  // A dynamic import: scoring a file needs no library.
  const { scorePagesHere, scorePagesOnWorkers } = await import('./extract-pages.ts');
  return chosen.workers > 1 ? scorePagesOnWorkers(folder, ids, chosen.workers) : scorePagesHere(folder, ids);
}

/** Takes evenly spaced ids: they are ordered by page type, so a prefix would not be a fair sample. */
function thinOut(ids: string[], limit: number | undefined): string[] {
  if (limit === undefined || limit >= ids.length) return ids;
  return Array.from({ length: limit }, (_, index) => ids[Math.floor((index * ids.length) / limit)] ?? '');
}

function readOptions(args: string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      results: { type: 'string' },
      limit: { type: 'string' },
      workers: { type: 'string', default: '1' },
      worst: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
  });
  if (positionals.length === 0 || (values.results !== undefined && positionals.length > 1)) return undefined;
  return {
    folders: positionals,
    results: values.results,
    limit: values.limit === undefined ? undefined : readCount('--limit', values.limit),
    workers: readCount('--workers', values.workers),
    worst: readCount('--worst', values.worst),
    json: values.json,
  };
}

function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new Error(`${name} must be a whole number, not "${text}"`);
  return count;
}
