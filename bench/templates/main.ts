import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import { formatReport } from './format-report.ts';
import { listSites } from './list-sites.ts';
import { measureMatching } from './match-cost.ts';
import { runSite, type PageRun } from './run-site.ts';

const USAGE = `Measures site templates on sites made from real pages.

  node bench/templates/main.ts FOLDER [options]

FOLDER has the layout of the WCXB benchmark. A site is one of its pages as a layout, with the title, author,
date and main text of other pages in its place, and noise that changes from page to page.

  --sites N        sites (default 50)
  --pages N        pages of a site (default 40)
  --seed N         default 1
  --change         run only the sites whose markup changes half-way
  --no-change      run only the sites that stay as they are
  --json           print every page as JSON
  Ctrl-C           ends the run after the site that is under way, with the report of what is done
  --stored N       instead: what matching costs with N templates in the store (no FOLDER)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    sites: { type: 'string', default: '50' },
    pages: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    change: { type: 'boolean' },
    json: { type: 'boolean', default: false },
    stored: { type: 'string' },
  },
});
const [folder] = positionals;
if (values.stored !== undefined) {
  const cost = await measureMatching(readCount('--stored', values.stored));
  process.stdout.write(
    `${cost.stored} templates stored: match ${cost.medianMs.toFixed(2)} ms median, ${cost.p95Ms.toFixed(2)} ms p95; memory grew by ${cost.grownMb.toFixed(0)} MB\n`,
  );
} else if (folder === undefined || positionals.length > 1) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await run(folder);
}

async function run(from: string): Promise<void> {
  const pages = readCount('--pages', values.pages);
  const sites = listSites(from, readCount('--sites', values.sites), pages, readCount('--seed', values.seed));
  const data = await mkdtemp(join(tmpdir(), 'winnow-bench-'));
  const store = await openStore({
    location: { sqliteFile: join(data, 'winnow.db') },
    onError: (error) => console.error(error),
  });
  const steady: PageRun[] = [];
  const changing: PageRun[] = [];
  try {
    // Ctrl-C ends the run after the site that is under way, with the report of what is done.
    let stopped = false;
    process.once('SIGINT', () => (stopped = true));
    for (const site of sites) {
      if (stopped) break;
      if (values.change !== true) steady.push(...(await runSite(site, { store, changeAt: undefined, timed: true })));
      if (values.change === false) continue;
      const changeAt = Math.floor(pages / 2) + 1;
      changing.push(...(await runSite(site, { store, changeAt, timed: false })));
    }
  } finally {
    await store.close();
    await rm(data, { recursive: true });
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ steady, changing })}\n`);
  else process.stdout.write(`${formatReport(steady, changing)}\n`);
}

function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${name} wants a whole number above 0, not "${text}"`);
  return count;
}
