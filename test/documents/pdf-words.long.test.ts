import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { scoreWords, wordsOf, wordsOfHtml } from './count-words.ts';
import { drawPdfs } from './drawn-pages.ts';
import { printPages } from './print-pages.ts';
import { listPrintedPages } from './printed-pages.ts';
import { startServiceWithFiles } from './service-with-files.ts';

/** Least F1 of the source's words in reading order. */
const LEAST_SCORE = 0.97;

const FIXTURES = new URL('fixtures/', import.meta.url);

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly words: readonly string[];
}

const { running, files, close } = await startServiceWithFiles();
after(close);

async function assertFound(samples: readonly Sample[]): Promise<void> {
  const scores = new Map<string, number>();
  for (const [index, { name, bytes, words }] of samples.entries()) {
    const url = files.add(`/${index}-${samples.length}.pdf`, bytes);
    const dumped = await running.call('/v1/dom/dump', { url, options: { engine_preference: 'http' } });
    assert.equal(dumped.status, 200, `${name}: ${JSON.stringify(dumped.body.error)}`);
    scores.set(name, scoreWords(words, wordsOfHtml(dumped.body.html)));
    const extracted = await running.call('/v1/extract', { extract: { dom_id: dumped.body.dom_id } });
    assert.equal(extracted.status, 200, name);
    scores.set(`${name}, main text`, scoreWords(words, wordsOf(extracted.body.result.main_text)));
  }
  const poor = [...scores].filter(([, score]) => !(score >= LEAST_SCORE));
  assert.deepEqual(poor, []);
}

test('the words of PDFs that Chromium prints are found in reading order', async () => {
  const pages = listPrintedPages();
  const printed = await printPages(pages);
  assert.ok(pages.length >= 15);
  await assertFound(
    pages.map(({ name, html }, index) => ({
      name,
      bytes: printed[index] ?? new Uint8Array(),
      words: wordsOfHtml(html),
    })),
  );
});

test('the words of PDFs drawn piece by piece are found in reading order', async () => {
  const drawn = await drawPdfs();
  await assertFound(drawn.map(({ name, bytes, text }) => ({ name, bytes, words: wordsOf(text) })));
});

test('the words of PDFs from LaTeX and a word processor are found in reading order', async () => {
  const texts = readdirSync(FIXTURES).filter((name) => name.endsWith('.txt'));
  assert.ok(texts.length >= 4);
  const samples = texts.map((name) => ({
    name,
    bytes: readFileSync(new URL(name.replace('.txt', '.pdf'), FIXTURES)),
    words: wordsOf(readFileSync(new URL(name, FIXTURES), 'utf8')),
  }));
  await assertFound(samples);
});
