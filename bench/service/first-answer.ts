/**
 * Measures how long the first request after a start takes: `node bench/service/first-answer.ts [--starts 5]`.
 * Each start is a fresh `winnow serve` with defaults on an empty data folder. The request is the one that the first start
 * prints (Markdown of the stored sample page), sent as soon as the service listens. Prints every time and the median; exits
 * with 1 when the median misses the goal, which is for an idle machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { LightCaller } from './light-caller.ts';
import { median } from './median.ts';

const GOAL_MS = 300;

const { values } = parseArgs({ options: { starts: { type: 'string', default: '5' } } });

const times: { readonly startMs: number; readonly answerMs: number; readonly pageMs: number }[] = [];
for (let start = 0; start < Number(values.starts); start += 1) times.push(await measureStart());
for (const { startMs, answerMs, pageMs } of times)
  process.stdout.write(
    `listening after ${startMs.toFixed(0)} ms; first answer ${answerMs.toFixed(0)} ms; second ${pageMs.toFixed(0)} ms\n`,
  );
const answer = median(times.map(({ answerMs }) => answerMs));
process.stdout.write(`median of the first answer: ${answer.toFixed(0)} ms (goal: ${GOAL_MS} ms)\n`);
process.exitCode = answer <= GOAL_MS ? 0 : 1;

async function measureStart(): Promise<(typeof times)[number]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-first-'));
  const began = performance.now();
  const service = await startServiceProcess({
    dataDir: folder,
    environment: {
      HOME: process.env['HOME'] ?? '',
      WINNOW_SELF_TEST: 'true',
      WINNOW_KEEP_WARM: '2m',
      WINNOW_LOG_LEVEL: 'silent',
    },
    onLine: () => undefined,
  });
  try {
    const startMs = performance.now() - began;
    const { url, firstStart: first } = service;
    if (first === null) throw new Error('the data folder is not empty');
    const caller = new LightCaller(url);
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'text/markdown',
      'X-API-Key': first.key_only_key,
    };
    const order = JSON.stringify({ extract: { dom_id: first.sample_dom_id } });
    const request = async (): Promise<number> => {
      const sent = performance.now();
      const { status, body } = await caller.post('/v1/extract', headers, order);
      if (status !== 200) throw new Error(`answered with ${status}: ${body.toString().slice(0, 300)}`);
      return performance.now() - sent;
    };
    try {
      return { startMs, answerMs: await request(), pageMs: await request() };
    } finally {
      caller.close();
    }
  } finally {
    await service.stop();
    await rm(folder, { recursive: true });
  }
}
