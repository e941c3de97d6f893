import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore, type Store } from '../../packages/server/src/store/open-store.ts';
import { formatReport } from './format-report.ts';
import { listSites, type Site } from './list-sites.ts';
import { measureMatching } from './match-cost.ts';
import { runSite } from './run-site.ts';
import { SiteShelf, type SiteRuns } from './site-shelf.ts';

const USAGE = `Measures site templates on sites made from real pages.

  node bench/templates/main.ts FOLDER [options]

FOLDER has the layout of the WCXB benchmark. Each site uses one of its pages as a layout, into which the title, author,
date and main text of other pages are put, with noise that changes from page to page.

  --sites N        sites (default 50)
  --from N --to N  only these sites, counted from 1; they are the same as in the whole run
  --pages N        pages of a site (default 40)
  --seed N         default 1
  --change         run only the sites whose markup changes half-way
  --no-change      run only the sites whose markup does not change
  --save FOLDER    save each finished site in a file there, and skip sites that have one: a run can be stopped and
                   continued, or divided into parts; the report covers all files of the same plan
  --json           print every page as JSON
  --stored N       measure the cost of matching with N stored templates instead (no FOLDER)

Ctrl-C ends the run after the current site and reports the finished ones.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    sites: { type: 'string', default: '50' },
    pages: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    change: { type: 'boolean' },
    from: { type: 'string', default: '1' },
    to: { type: 'string' },
    save: { type: 'string' },
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

async function run(source: string): Promise<void> {
  const plan = {
    sites: readCount('--sites', values.sites),
    pages: readCount('--pages', values.pages),
    seed: readCount('--seed', values.seed),
  };
  const sites = listSites(source, plan.sites, plan.pages, plan.seed);
  const from = readCount('--from', values.from);
  const wanted = sites.slice(from - 1, values.to === undefined ? undefined : readCount('--to', values.to));
  const shelf = values.save === undefined ? undefined : await SiteShelf.open(values.save, { ...plan, ...readKinds() });
  const data = await mkdtemp(join(tmpdir(), 'winnow-bench-'));
  const store = await openStore({
    location: { sqliteFile: join(data, 'winnow.db') },
    onError: (error) => console.error(error),
  });
  const done: SiteRuns[] = [];
  try {
    let stopped = false;
    process.once('SIGINT', () => (stopped = true));
    for (const site of wanted) {
      if (stopped) break;
      if (shelf?.has(site.host) === true) continue;
      const runs = await runBoth(site, store, plan.pages);
      done.push(runs);
      await shelf?.put(site.host, runs);
    }
  } finally {
    await store.close();
    await rm(data, { recursive: true });
  }
  const all = shelf === undefined ? done : await shelf.readAll(sites.map((site) => site.host));
  const steady = all.flatMap((one) => one.steady);
  const changing = all.flatMap((one) => one.changing);
  if (values.json) process.stdout.write(`${JSON.stringify({ steady, changing })}\n`);
  else process.stdout.write(`${formatReport(steady, changing)}\n`);
}

function readKinds(): { steady: boolean; changing: boolean } {
  return { steady: values.change !== true, changing: values.change !== false };
}

async function runBoth(site: Site, store: Store, pages: number): Promise<SiteRuns> {
  const kinds = readKinds();
  const changeAt = Math.floor(pages / 2) + 1;
  return {
    steady: kinds.steady ? await runSite(site, { store, changeAt: undefined, timed: true }) : [],
    changing: kinds.changing ? await runSite(site, { store, changeAt, timed: false }) : [],
  };
}

function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${name} must be a whole number above 0, not "${text}"`);
  return count;
}
