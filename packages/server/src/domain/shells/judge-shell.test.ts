import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARTICLE, document } from '../../../../../test/site/route.ts';
import type { Capture } from '../capture/capture-ports.ts';
import { createShellJudge } from './judge-shell.ts';
import type { ShellJudgeThread } from './judge-shell.ts';
import { WorkerExtractor } from '../../workers/worker-extractor.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';

const isSufficient = async (body: string, more: Partial<Capture> = {}): Promise<boolean> => {
  const capture = { engine: 'http', finalUrl: 'https://example.com/news?a=1&b=2', html: document(body), ...more };
  const budget = { timeoutMs: 1000, signal: new AbortController().signal };
  return (await createShellJudge()(capture as Capture, budget)).sufficient;
};

const meta = (content: string): string => `<meta http-equiv="refresh" content="${content}">`;

void test('pages that soon redirect are rejected, in any syntax and with any text', async () => {
  for (const html of [
    meta('0; url=/real'),
    '<meta content="0; url=/real" http-equiv=refresh>',
    '<META HTTP-EQUIV=Refresh CONTENT=0;/real>',
    meta('0; /real'),
    meta('0,/real'),
    meta('0 /real'),
    meta('.5; URL = &quot;/real&quot;'),
    meta("5;url='https://example.org/'"),
    meta('1; url=?a=1&amp;b=3'),
    `<script>'</scrip'</script><!-- > -->${meta('0; /real')}`,
  ]) {
    assert.equal(await isSufficient(html), false, html);
    assert.equal(await isSufficient(html + ARTICLE), false, `${html}, with text`);
  }
  assert.equal(await isSufficient(ARTICLE, { refresh: '0; url=/real' }), false, 'the header');
  assert.equal(await isSufficient('<h1>Please wait</h1>', { refresh: '20; url=/real' }), false, 'late, without text');
});

void test('pages that reload themselves, or redirect only after time to read, are accepted', async () => {
  for (const content of [
    '300',
    '0',
    '5;',
    '5; url=',
    '3; url=?a=1&amp;b=2#top',
    '3; https://example.com/news?a=1&b=2',
    '30; url=/real',
    '0; url=app://open',
    'soon; url=/real',
    '; url=/real',
  ])
    assert.ok(await isSufficient(meta(content) + ARTICLE), content);
  for (const refresh of ['300', '20; url=/real']) assert.ok(await isSufficient(ARTICLE, { refresh }), refresh);
  for (const html of [
    `<noscript>${meta('0; url=/without-scripts')}</noscript>`,
    `<!-- ${meta('0; url=/old')} -->`,
    `<script>document.write('${meta('0; url=/written')}')</script>`,
    `<textarea>${meta('0; url=/example')}</textarea>`,
    '<meta name="refresh" content="0; url=/real">',
  ])
    assert.ok(await isSufficient(html + ARTICLE), html);
  assert.ok(await isSufficient(meta('0; url=/real') + ARTICLE, { engine: 'vendor_lite' }), 'captured by a browser');
});

const MIB = 1024 * 1024;
/** Markup without text in which many patterns start to match. */
const COSTLY = [
  '<div id=root ',
  '<noscript>enable ',
  '<!-- <meta http-equiv=refresh ',
  '<app-root ',
  '<script ',
  'class="',
];

void test('large pages get the same verdict in a thread as on the event loop', async (t) => {
  const pool = new WorkerPool({ threads: 1, memoryBytes: 512 * MIB, maxQueue: 10 });
  t.after(() => pool.close());
  const extractor = new WorkerExtractor(pool);
  // On a busy machine the start of the thread alone takes seconds; the next test covers the limit.
  const threadWithoutLimit: ShellJudgeThread = {
    judgeShell: (page, { signal }) => extractor.judgeShell(page, { timeoutMs: 60_000, signal }),
  };
  const judge = createShellJudge(threadWithoutLimit);
  const budget = { timeoutMs: 60_000, signal: new AbortController().signal };
  const captureOf = (body: string, more: Partial<Capture> = {}): Capture =>
    ({ engine: 'http', finalUrl: 'https://example.com/', html: document(body), ...more }) as Capture;
  for (const small of ['<div id="root"></div>', ARTICLE])
    assert.deepEqual(await judge(captureOf(small), budget), await createShellJudge()(captureOf(small), budget));
  assert.equal(pool.state.threads, 0, 'small pages need no thread');
  const padding = `<style>${' '.repeat(MIB)}</style>`;
  const verdicts: boolean[] = [];
  for (const page of [
    captureOf(`${padding}<div id="root"></div>`),
    captureOf(padding + ARTICLE),
    captureOf(`${padding}${meta('0; url=/real')}${ARTICLE}`),
    captureOf(padding + ARTICLE, { refresh: '0; url=/real' }),
    captureOf(padding + ARTICLE, { engine: 'chrome', refresh: '0; url=/real' }),
    ...COSTLY.map((piece) => captureOf(piece.repeat(MIB / piece.length))),
  ]) {
    const verdict = await judge(page, budget);
    assert.deepEqual(verdict, await createShellJudge()(page, budget));
    verdicts.push(verdict.sufficient);
  }
  assert.deepEqual(verdicts.slice(0, 5), [false, true, false, false, true]);
  assert.equal(pool.state.threads, 1);
});

void test('a large page is accepted if no thread judges it in time, unless the caller aborts', async () => {
  const html = document(ARTICLE.padEnd(MIB));
  const capture = { engine: 'http', finalUrl: 'https://example.com/', html } as Capture;
  const stop = new AbortController();
  const times: number[] = [];
  const judge = createShellJudge({
    judgeShell: async (_page, { timeoutMs }) => {
      times.push(timeoutMs);
      throw new Error('no thread');
    },
  });
  const budget = { timeoutMs: 60_000, signal: stop.signal };
  assert.equal((await judge(capture, budget)).sufficient, true);
  assert.deepEqual(times, [5000]);
  stop.abort();
  await assert.rejects(judge(capture, budget), /no thread/);
});
