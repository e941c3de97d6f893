import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCaptureJudge } from './judge-capture.ts';
import type { Capture, CaptureJudge } from '../capture/capture-ports.ts';
import type { Extractor, ExtractInput } from './extraction-ports.ts';
import { createGenericTemplate } from './generic-templates.ts';
import { limitTime } from '../shared/time-limit.ts';

const budgets: number[] = [];

/** Never finishes within its budget. */
const endless: Extractor = {
  extract: (_, { signal, timeoutMs }) =>
    new Promise((_resolve, reject) => {
      budgets.push(timeoutMs);
      const limit = limitTime([signal], timeoutMs, () => new Error('late'));
      const end = (): void => {
        limit.release();
        reject(limit.signal.reason as Error);
      };
      if (limit.signal.aborted) end();
      else limit.signal.addEventListener('abort', end);
    }),
};

const pass: CaptureJudge = { judge: async () => ({ sufficient: true, reason: 'no shell' }) };

const PAGE = {
  html: '<script></script><p>A page.',
  finalUrl: 'https://example.com/',
  contentLanguage: null,
} as Capture;

void test('a page that cannot be judged in time is accepted', async () => {
  const judge = createCaptureJudge(endless, pass);
  const { sufficient, reason } = await judge.judge(PAGE, { timeoutMs: 20, signal: new AbortController().signal });
  assert.ok(sufficient);
  assert.match(reason, /in time/);
  assert.deepEqual(budgets, [20]);
});

void test('an abandoned judgement is aborted', async () => {
  const caller = new AbortController();
  const judge = createCaptureJudge(endless, pass);
  const judging = judge.judge(PAGE, { timeoutMs: 60_000, signal: caller.signal });
  setImmediate(() => caller.abort(new Error('hung up')));
  await assert.rejects(judging, /hung up/);
});

void test('a page that the judge extracted is not extracted again, with Markdown too', async () => {
  const inputs: ExtractInput[] = [];
  const extraction = { mainText: 'text '.repeat(100), confidence: 0.9 } as Awaited<ReturnType<Extractor['extract']>>;
  const counting: Extractor = { extract: async (input) => (inputs.push(input), extraction) };
  const signature = new Uint32Array(64);
  const sites = { findServing: async () => ({ template: undefined, signature }) };
  const wish = { formats: ['markdown'], favor: 'recall' } as const;
  const budget = { timeoutMs: 1000, signal: new AbortController().signal };
  const judge = createCaptureJudge(counting, pass, sites);
  const { reading } = await judge.judge(PAGE, budget, { projectId: 'prj_1', extract: wish });
  const { html, finalUrl: url, contentLanguage } = PAGE;
  const page = { projectId: 'prj_1', domId: 'dom_1', html, url, contentLanguage, ...wish, reading };
  const outcome = await createGenericTemplate(counting).apply(page, budget);
  assert.equal(outcome.extraction, extraction);
  assert.equal(reading?.signature, signature);
  assert.deepEqual(
    inputs.map(({ formats, favor }) => [formats, favor]),
    [[['markdown'], 'recall']],
  );
});

void test('a page that is only dumped carries no extraction', async () => {
  const extraction = { mainText: 'text '.repeat(100), confidence: 0.9 } as Awaited<ReturnType<Extractor['extract']>>;
  const judge = createCaptureJudge({ extract: async () => extraction }, pass);
  const { reading } = await judge.judge(PAGE, { timeoutMs: 1000, signal: new AbortController().signal });
  assert.equal(reading?.extraction, undefined);
});
