import { basename } from 'node:path';
import { extract, type PageWarning } from '@winnow/extract';
import { listPageIds, readHtml, readPage } from '../quality/benchmark-page.ts';

const USAGE = `Counts the ordinary pages that get a warning.

  node bench/warnings/main.ts FOLDER... [--list]

Each FOLDER has the layout of the WCXB benchmark. The pages are assumed to be ordinary, so every warning is a false one.
Pages without main content are counted separately: their answer is an error, not a warning.

  --list   name each page with a warning
`;

const folders = process.argv.slice(2).filter((argument) => argument !== '--list');
const isListing = process.argv.includes('--list');
if (folders.length === 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
const counts = new Map<string, number>();
let pages = 0;
let warned = 0;
let empty = 0;
for (const folder of folders) {
  for (const id of listPageIds(folder)) {
    const { url } = readPage(folder, id);
    const { mainText, title, warnings } = extract(readHtml(folder, id), url === undefined ? {} : { url });
    if (mainText === '') {
      empty += 1;
      continue;
    }
    pages += 1;
    if (warnings.length === 0) continue;
    warned += 1;
    for (const warning of warnings) count(warning);
    if (!isListing) continue;
    const codes = warnings.map(({ code }) => code).join(', ');
    process.stdout.write(
      `${basename(folder)} ${id}: ${codes} (${mainText.length} characters; ${title ?? ''}; ${url ?? ''})\n`,
    );
  }
}
for (const [code, number] of counts) process.stdout.write(`${code}: ${number}\n`);
const share = pages === 0 ? 0 : (100 * warned) / pages;
process.stdout.write(
  `${warned} of ${pages} pages have a warning: ${share.toFixed(2)} %; ${empty} more have no main content\n`,
);

function count({ code }: PageWarning): void {
  counts.set(code, (counts.get(code) ?? 0) + 1);
}
