import { basename } from 'node:path';
import { extract } from '@winnow/extract';
import { listPageIds, readHtml, readPage, type BenchmarkPage } from '../quality/benchmark-page.ts';

const USAGE = `Measures the days of publication that pages only show, as pages without metadata do.

  node bench/dates/main.ts FOLDER...

Each FOLDER has the layout of the WCXB benchmark. Scripts, "meta" elements with a year, and days in addresses are removed
before the extraction. Counted are the pages, except forums, with a day in the truth, or in their address if the truth of
the folder has no days. The last column counts all pages of the folder, unchanged, for which no day is given.
`;

const DAY_IN_ADDRESS = /[/-]((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?=[/\-_.]|$)/;
const DAY_IN_PATH = /\/(?:19|20)\d\d\/(?:0[1-9]|1[0-2])(?:\/(?:0[1-9]|[12]\d|3[01]))?(?=\/)/g;
const DAY_IN_NAME = /([-/])20\d\d-?\d\d-?\d\d(?=[-/"'.])/g;

const folders = process.argv.slice(2);
if (folders.length === 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.stdout.write('| set | pages | right | none | wrong | unchanged pages: none |\n');
  process.stdout.write('| --- | ----: | ----: | ---: | ----: | --------------------: |\n');
  for (const folder of folders) process.stdout.write(`${measure(folder)}\n`);
}

function measure(folder: string): string {
  const counts = { pages: 0, right: 0, none: 0, wrong: 0 };
  let undated = 0;
  const ids = listPageIds(folder);
  for (const id of ids) {
    const page = readPage(folder, id);
    const html = readHtml(folder, id);
    if (readDay(html, page.url) === null) undated += 1;
    const day = trueDay(page);
    if (day === undefined || page.pageType === 'forum') continue;
    counts.pages += 1;
    const given = readDay(hideDays(hideStatements(html)), page.url === undefined ? undefined : hideDays(page.url));
    if (given === null) counts.none += 1;
    else if (given === day) counts.right += 1;
    else counts.wrong += 1;
  }
  return `| ${[basename(folder), ...Object.values(counts), `${undated} of ${ids.length}`].join(' | ')} |`;
}

function readDay(html: string, url: string | undefined): string | null {
  return extract(html, url === undefined ? {} : { url }).publishTime?.slice(0, 10) ?? null;
}

/** The day of the truth, `YYYY-MM-DD`; in a set without labelled days, that of the address. */
function trueDay({ url, truth }: BenchmarkPage): string | undefined {
  if (!truth.unlabelled.includes('publishDate')) return truth.publishDate?.match(/^\d{4}-\d\d-\d\d/)?.[0];
  const match = DAY_IN_ADDRESS.exec(url ?? '');
  return match === null ? undefined : match.slice(1).join('-');
}

function hideStatements(html: string): string {
  return html
    .replace(/<script\b[\s\S]*?<\/script>/gi, '')
    .replace(/<meta\b[^<>]*>/gi, (element) => (/\d{4}/.test(element) ? '' : element));
}

function hideDays(text: string): string {
  return text.replace(DAY_IN_PATH, '/p').replace(DAY_IN_NAME, '$1p');
}
