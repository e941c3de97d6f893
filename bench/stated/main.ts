import { basename } from 'node:path';
import { extract, type StatedProduct } from '@winnow/extract';
import { listPageIds, readHtml, readPage } from '../quality/benchmark-page.ts';

const USAGE = `Counts the product pages whose stated price and currency are extracted.

  node bench/stated/main.ts FOLDER...

Each FOLDER has the layout of the WCXB benchmark. Counted are the pages of the type "product" whose JSON-LD has a value
for "price" or "lowPrice", found by a pattern. The extracted price must be one of the values that the pattern finds. A
currency is required if the page contains "priceCurrency".
`;

const folders = process.argv.slice(2);
if (folders.length === 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
let pages = 0;
let found = 0;
for (const folder of folders) {
  for (const id of listPageIds(folder)) {
    const { pageType, url } = readPage(folder, id);
    if (pageType !== 'product') continue;
    const html = readHtml(folder, id);
    const prices = listPrices(html);
    if (prices.length === 0) continue;
    pages += 1;
    const { stated } = extract(html, { formats: ['stated'], ...(url === undefined ? {} : { url }) });
    const fault = findFault(stated?.product ?? null, prices, /"priceCurrency"/.test(html));
    if (fault === undefined) found += 1;
    else process.stdout.write(`${basename(folder)} ${id}: ${fault}\n`);
  }
}
process.stdout.write(`${found} of ${pages} product pages: price and currency as stated\n`);

function findFault(product: StatedProduct | null, prices: readonly number[], hasCurrency: boolean): string | undefined {
  if (product === null) return 'no product';
  if (product.price === null) return 'no price';
  if (!prices.includes(Number(product.price))) return `the price ${product.price} is none of ${prices.join(', ')}`;
  return hasCurrency && product.currency === null ? 'no currency' : undefined;
}

/** Returns the prices in the JSON-LD scripts of a page. */
function listPrices(html: string): number[] {
  const scripts = [...html.matchAll(/<script[^<>]*ld\+json[^<>]*>([\s\S]*?)<\/script>/gi)].map(([, text = '']) => text);
  const values = [...scripts.join('\n').matchAll(/"(?:lowP|p)rice"\s*:\s*"?\s*([^",}\]]+)/g)];
  return values
    .map(([, text = '']) =>
      Number(
        text
          .trim()
          .replace(/^\D{1,4}/, '')
          .replaceAll(',', ''),
      ),
    )
    .filter((value) => !Number.isNaN(value));
}
