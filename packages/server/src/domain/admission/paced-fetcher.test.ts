import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptureError } from '../capture/capture-error.ts';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import { AppError } from '../shared/errors.ts';
import { runOnBehalf } from './current-tenant.ts';
import { HEAVY_BYTES, HeavyWorkLimiter } from './heavy-work-limiter.ts';
import { PacedFetcher } from './paced-fetcher.ts';

const request: CaptureRequest = {
  url: new URL('https://a.test/'),
  timeoutMs: 1000,
  signal: new AbortController().signal,
};
const pageOf = (bytes: number) => ({ html: 'x'.repeat(bytes), timings: { body: 1 } }) as unknown as Capture;
const large = pageOf(HEAVY_BYTES + 1);

/** The test sets the clock; a large page costs 3 s. */
function createPaced(answer: () => Promise<Capture>) {
  const clock = { now: 0 };
  const heavyWork = new HeavyWorkLimiter({ share: 0.01, maxWaitMs: 8000, now: () => clock.now });
  const fetcher: Fetcher = { capture: answer };
  const paced = new PacedFetcher(fetcher, heavyWork);
  const capture = (key: string, more: Partial<CaptureRequest> = {}): Promise<Capture> =>
    runOnBehalf({ key, group: 'project' }, () => paced.capture('http', { ...request, ...more }));
  heavyWork.enter('modest');
  return { capture, heavyWork, clock };
}

void test('a large page waits for the share of its key, and small pages never wait', async () => {
  let page = large;
  const { capture, heavyWork, clock } = createPaced(() => Promise.resolve(page));
  assert.equal(await capture('noisy'), large);
  const second = capture('noisy', { timeoutMs: 30_000 });
  while (heavyWork.state().waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await capture('other'), large, 'another key has its own share');
  page = pageOf(HEAVY_BYTES);
  assert.equal(await capture('noisy'), page, 'a small page passes the waiting one');
  clock.now = 3010;
  assert.deepEqual((await second).timings, { body: 1, share_wait: 3010 });
});

void test('a large error page is charged and waits, and a wait beyond the deadline is refused', async () => {
  const failure = new CaptureError('http_status_not_ok', 'status 403', { capture: large });
  const { capture } = createPaced(() => Promise.reject(failure));
  await assert.rejects(capture('noisy'), failure);
  await assert.rejects(capture('noisy'), (error: unknown) => error instanceof AppError && error.code === 'overloaded');
});

void test('a batch is charged to the key that pays for it', async () => {
  const { capture, heavyWork } = createPaced(() => Promise.resolve(large));
  const paced = new PacedFetcher({ capture: () => Promise.resolve(large) }, heavyWork);
  await runOnBehalf({ key: 'batches of project', group: 'batches', payer: 'noisy' }, () =>
    paced.capture('http', request),
  );
  await assert.rejects(capture('noisy'), { code: 'overloaded' });
});
