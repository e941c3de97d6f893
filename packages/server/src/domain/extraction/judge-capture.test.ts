import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOADS_ON_SCROLL, type Extraction } from '@winnow/extract';
import type { Capture } from '../capture/capture-ports.ts';
import { createShellJudge, type ShellJudge } from '../shells/judge-shell.ts';
import { limitTime } from '../shared/time-limit.ts';
import type { Extractor } from './extraction-ports.ts';
import { createDumpJudge, createHtmlJudge, findShell, judgeContent } from './judge-capture.ts';

const acceptMarkup: ShellJudge = async () => ({ sufficient: true, reason: 'no shell' });
const judgeHtml = createHtmlJudge(acceptMarkup);

const pageOf = (html: string): Capture =>
  ({ html, finalUrl: 'https://example.com/', contentLanguage: null }) as Capture;
const SCRIPTED = pageOf('<script></script><p>A page.');
const budgetOf = (timeoutMs: number, signal = new AbortController().signal) => ({ timeoutMs, signal });

/** Never finishes within its budget. */
const endless: Extractor = {
  extract: (_, { signal, timeoutMs }) =>
    new Promise((_resolve, reject) => {
      const limit = limitTime([signal], timeoutMs, () => new Error('late'));
      const end = (): void => {
        limit.release();
        reject(limit.signal.reason as Error);
      };
      if (limit.signal.aborted) end();
      else limit.signal.addEventListener('abort', end);
    }),
};

/** Counts the extractions of pages with the given content. */
function countingExtractor(
  content: Pick<Extraction, 'mainText' | 'confidence'> & Partial<Pick<Extraction, 'warnings'>>,
): Extractor & { count: number } {
  return {
    count: 0,
    async extract() {
      this.count += 1;
      return { warnings: [], ...content } as unknown as Extraction;
    },
  };
}

void test('a page that cannot be judged in time is accepted', async () => {
  const { sufficient, reason } = await createDumpJudge(judgeHtml, endless)(SCRIPTED, budgetOf(20));
  assert.ok(sufficient);
  assert.match(reason, /in time/);
});

void test('an abandoned judgement is aborted', async () => {
  const caller = new AbortController();
  const judging = createDumpJudge(judgeHtml, endless)(SCRIPTED, budgetOf(60_000, caller.signal));
  setImmediate(() => caller.abort(new Error('hung up')));
  await assert.rejects(judging, /hung up/);
});

void test('a dumped page is extracted only if its markup does not decide', async () => {
  const extractor = countingExtractor({ mainText: 'Menu', confidence: 0.9 });
  const judge = createDumpJudge(judgeHtml, extractor);
  const withoutScripts = await judge(pageOf('<p>A page.'), budgetOf(1000));
  const withAmpleText = await judge(pageOf(`<script></script><p>${'Words of a text. '.repeat(200)}`), budgetOf(1000));
  assert.deepEqual([withoutScripts.sufficient, withAmpleText.sufficient, extractor.count], [true, true, 0]);
  const { sufficient, reason } = await judge(SCRIPTED, budgetOf(1000));
  assert.deepEqual([sufficient, extractor.count], [false, 1]);
  assert.match(reason, /4 characters of main content/);
});

void test('a page that loads more as it is scrolled needs an engine that scrolls', async () => {
  const content = { mainText: 'Boats. '.repeat(100), confidence: 0.9 };
  const judge = (message: string) =>
    judgeContent(async () => ({ ...content, warnings: [{ code: 'continues_on_scroll', message }] }), budgetOf(1000));
  assert.deepEqual(await judge(LOADS_ON_SCROLL), { sufficient: false, reason: LOADS_ON_SCROLL, needsScroll: true });
  assert.ok((await judge('it has the marks of such a page')).sufficient);
});

void test('plain HTTP warns of an unfilled part beside little text, by strong evidence', async () => {
  const INTRO =
    '<main><h1>Departures</h1><p>All ferries of the day, with berth and delay, as the harbour office reports them.</p>';
  const judge = createHtmlJudge(createShellJudge());
  const warn = async (body: string, mainText = 'All ferries of the day.', hash = ''): Promise<string[]> => {
    const html = `<!doctype html><title>Departures</title><body>${body}<script src="/a.js"></script>`;
    const found = await findShell(judge, { html, url: `https://example.com/${hash}` }, { mainText, warnings: [] });
    return found.map(({ code }) => code);
  };
  for (const part of [
    '<div class="skeleton-list"></div>',
    '<section aria-busy="true"></section>',
    '<p>Loading departures…</p>',
    '<div hx-get="/rows" hx-trigger="load"></div>',
    '<ul><li v-for="ferry in ferries">{{ ferry.name }}</li></ul>',
    '<departure-board></departure-board>',
  ]) {
    assert.deepEqual(await warn(INTRO + part), ['unrendered_shell'], part);
    assert.deepEqual(await warn(INTRO + part, 'All ferries of the day. '.repeat(50)), [], `${part} beside much text`);
  }
  const more = 'All ferries of the day. '.repeat(40);
  assert.deepEqual(await warn(`${INTRO}<div id="app"></div>`, more), ['unrendered_shell']);
  assert.deepEqual(await warn(INTRO, more, '#/today'), ['unrendered_shell']);
  for (const part of [
    '<p>The office is closed on Sunday, and on all days of rest in winter.</p>',
    '<ul id="notes"></ul>',
    '<div id="ads"></div>',
  ])
    assert.deepEqual(await warn(INTRO + part), [], part);
});

void test('a page is judged by its content if a frame that it contains has scripts', async () => {
  const judge = createDumpJudge(judgeHtml, countingExtractor({ mainText: 'Menu', confidence: 0.9 }));
  const frame = '<iframe srcdoc="&lt;script&gt;load()&lt;/script&gt;"></iframe>';
  assert.equal((await judge(pageOf(`<p>A page.${frame}`), budgetOf(1000))).sufficient, false);
  assert.equal((await judge(pageOf('<p>A page about &lt;script&gt;.'), budgetOf(1000))).sufficient, true);
});

void test('an app shell is rejected by its markup', async () => {
  const extractor = countingExtractor({ mainText: 'text '.repeat(100), confidence: 0.9 });
  const rejectMarkup: ShellJudge = async () => ({ sufficient: false, reason: 'a shell' });
  const verdict = await createDumpJudge(createHtmlJudge(rejectMarkup), extractor)(SCRIPTED, budgetOf(1000));
  assert.deepEqual([verdict, extractor.count], [{ sufficient: false, reason: 'a shell' }, 0]);
});
