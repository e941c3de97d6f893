/** Runs mutated pages through extraction threads, and mutated PDFs through the processes that read documents. */
import { readFileSync } from 'node:fs';
import { writeArticlePage } from '../../../packages/extract/test/article-page.ts';
import { HOSTILE_PAGES } from '../../../packages/extract/test/hostile-pages.ts';
import { AppError } from '../../../packages/server/src/domain/shared/errors.ts';
import { DocumentProcesses } from '../../../packages/server/src/workers/documents/document-processes.ts';
import { WorkerExtractor } from '../../../packages/server/src/workers/worker-extractor.ts';
import { WorkerPool } from '../../../packages/server/src/workers/worker-pool.ts';
import { drawLines, ENDLESS_FONTS, writeCidPage, writePage } from '../../documents/write-pdf.ts';
import { mutate } from './mutate.ts';

const MIB = 2 ** 20;

const INNER = `<ol start=3><li>One<li value=7>Two</ol><table><tr><td colspan=2 rowspan=3>Cell<td width=100>12</table>
<pre><code class="language-js">let x = 1</code></pre><time datetime="2024-05-06T07:08:09Z">6 May 2024</time>
<img src="/a.png" srcset="/b.png 640w, /c.png 2x" width=640 height=480 style="opacity:.5;font-size:12px">
<script type="application/ld+json">{"@type":"Article","headline":"Pier","datePublished":"2024-05-06","wordCount":120}</script>
<math><msup><mi>x</mi><mn>2</mn></msup></math><svg viewBox="0 0 10 10"><text>t</text></svg><font size=4 color=#fff>f</font>`;

const PAGES: readonly string[] = [
  writeArticlePage(INNER),
  writeArticlePage('<p>Comment by <a rel=author href="/u/1">Ada</a> &#65; &amp; &#x10FFFF;</p>'.repeat(10)),
  ...HOSTILE_PAGES.map(({ build }) => build(0.001).slice(0, 4000)),
];

const TAGS =
  '<table><tr><td colspan=1000 rowspan=65534>|<ol start=999999999><li>|<div hidden>|<pre>|</p>|<b><p>|<a href="javascript:x">|<svg><foreignObject>|<math><mtext>|<template>|<select><option>|<noscript>|<plaintext>|<!--|<![CDATA[|<script>|<style>a{|</style>|<frameset>|<base href="http://[">|&#1114111;|&#0;|\u0000|<input value="|<img srcset="a 99999999w,|<meta charset=utf-7>|<iframe srcdoc="<p>">|<details open>|<ruby><rt>|<font size=+9>|style="font-size:99999999999px"|{"@graph":[|]}|"@id":"#a",'.split(
    '|',
  );

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const PDFS: readonly string[] = [
  ...Object.values(ENDLESS_FONTS).map((font) => latin1(writeCidPage(font)).replace('4294967295', '9')),
  latin1(
    writeCidPage({ entries: '/W[0[500 600]7 9 500]/DW 1000', toUnicode: '2 beginbfchar <0041> <0041> endbfchar' }),
  ),
  latin1(writePage(drawLines(['All is well in the harbour.', 'Twice a day the sea comes in.']))),
  latin1(readFileSync(new URL('../../documents/fixtures/writer-report.pdf', import.meta.url))),
];

const OPERATORS =
  '/W[0 4294967295 500]|/W2[0 99999999 1 2 3]|/Length 99999999|/Count 2147483647|/Kids[2 0 R]|/Filter/FlateDecode|/Filter[/ASCIIHexDecode/LZWDecode]|/DecodeParms<</Predictor 12/Columns 99999999>>|/Size 99999999|/Prev 9|/FirstChar 0/LastChar 99999999|/Widths[1 2|<</Type/ObjStm/N 99999999/First 9>>|<0000> <FFFFFF> <0041>|1 beginbfrange|endbfrange|BT|ET|Tj|TJ|[(a)-99999999(b)]|cm|q|/F 5 Tf|Do|BI|ID|EI|sh|scn|(|)|<|>|<<|>>|[|]|obj|endobj|stream|endstream|xref|%%EOF|R'.split(
    '|',
  );

export interface FuzzCount {
  readonly done: number;
  /** By code of the error. */
  readonly errors: Readonly<Record<string, number>>;
  /** Seeds of answers with an error that names no fault of the document. */
  readonly faults: readonly string[];
}

const ACCEPTED = /^(?:unsupported_content|response_too_large|fetch_timeout|extract_timeout)$/;
const TIMEOUT_MS = 20_000;
const AT_ONCE = 2;

/** @param from first seed */
export async function fuzzPages(from: number, count: number): Promise<FuzzCount> {
  const pool = new WorkerPool({ threads: AT_ONCE, memoryBytes: 256 * MIB, maxQueue: AT_ONCE });
  const extractor = new WorkerExtractor(pool);
  const formats = ['html', 'markdown'] as const;
  try {
    return await runSeeds(from, count, async (seed) => {
      const html = mutate(PAGES[seed % PAGES.length] ?? '', TAGS, seed);
      const input = { html, url: 'https://example.com/', contentLanguage: null, formats };
      await extractor.extract(input, { timeoutMs: TIMEOUT_MS, signal: NEVER });
    });
  } finally {
    await pool.close();
  }
}

/** @param from first seed */
export async function fuzzPdfs(from: number, count: number): Promise<FuzzCount> {
  const limits = { maxPages: 200, maxCharacters: MIB };
  const documents = new DocumentProcesses({ processes: AT_ONCE, memoryBytes: 64 * MIB, maxQueue: AT_ONCE, ...limits });
  try {
    return await runSeeds(from, count, async (seed) => {
      const content = Buffer.from(mutate(PDFS[seed % PDFS.length] ?? '', OPERATORS, seed), 'latin1');
      const budget = { timeoutMs: TIMEOUT_MS, signal: NEVER };
      await documents.convert({ format: 'pdf', content, fileName: 'mutated.pdf' }, budget);
    });
  } finally {
    await documents.close();
  }
}

const NEVER = new AbortController().signal;

async function runSeeds(from: number, count: number, run: (seed: number) => Promise<void>): Promise<FuzzCount> {
  const errors: Record<string, number> = {};
  const faults: string[] = [];
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      const seed = next++;
      try {
        await run(seed);
      } catch (error) {
        const code = error instanceof AppError ? error.code : 'no AppError';
        errors[code] = (errors[code] ?? 0) + 1;
        if (!ACCEPTED.test(code)) faults.push(`seed ${seed}: ${String(error)} ${String((error as Error).cause)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done: count, errors, faults };
}
