import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCaptureJudge } from './judge-capture.ts';
import type { Capture, CaptureJudge } from '../capture/capture-ports.ts';
import type { Extractor } from './extraction-ports.ts';
import { RememberingExtractor } from './remember-extractions.ts';
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
  const judge = createCaptureJudge(new RememberingExtractor(endless), pass);
  const { sufficient, reason } = await judge.judge(PAGE, { timeoutMs: 20, signal: new AbortController().signal });
  assert.ok(sufficient);
  assert.match(reason, /in time/);
  assert.deepEqual(budgets, [20]);
});

void test('an abandoned judgement is aborted', async () => {
  const caller = new AbortController();
  const judge = createCaptureJudge(new RememberingExtractor(endless), pass);
  const judging = judge.judge(PAGE, { timeoutMs: 60_000, signal: caller.signal });
  setImmediate(() => caller.abort(new Error('hung up')));
  await assert.rejects(judging, /hung up/);
});
