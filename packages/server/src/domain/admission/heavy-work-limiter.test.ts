import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { AppError } from '../shared/errors.ts';
import { HeavyWorkLimiter } from './heavy-work-limiter.ts';
import type { HeavyWorkRequest } from './heavy-work-limiter.ts';

const MIB = 1024 * 1024;
const STEP_MS = 10;

/** Each tenant has half a processor: an answer of 10 MiB is 100 ms of work, paid off in 200 ms. */
function createLimiter(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 1000;
  const limiter = new HeavyWorkLimiter({ share: 0.5, maxWaitMs: 8000, now: () => now });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      now += STEP_MS;
      t.mock.timers.tick(STEP_MS);
      await nextTurn();
    }
  };
  /** Advances the clock without running timers. */
  const block = (ms: number): void => void (now += ms);
  return { limiter, pass, block };
}

function workOf(key: string, more: Partial<HeavyWorkRequest> = {}): HeavyWorkRequest {
  const { signal } = new AbortController();
  return { key, kind: 'answer', bytes: 10 * MIB, budgetMs: 10_000, signal, ...more };
}

async function waitOf(limiter: HeavyWorkLimiter, work: HeavyWorkRequest): Promise<number> {
  return (await limiter.acquire(work)).waitedMs;
}

/** Starts all works and notes the name of each when it is admitted. */
function startAll(limiter: HeavyWorkLimiter, order: string[], works: Readonly<Record<string, HeavyWorkRequest>>) {
  return Object.entries(works).map(async ([name, work]) => {
    const { waitedMs } = await limiter.acquire(work);
    order.push(name);
    return waitedMs;
  });
}

void test('heavy work waits until the earlier work of its tenant is paid, first come, first served', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  const order: string[] = [];
  const works = startAll(limiter, order, { first: workOf('noisy'), second: workOf('noisy'), third: workOf('noisy') });
  await pass(190);
  assert.deepEqual(order, ['first']);
  await pass(10);
  assert.deepEqual(order, ['first', 'second']);
  assert.equal(await waitOf(limiter, workOf('modest')), 0, 'each tenant has its own share');
  await pass(200);
  assert.deepEqual(order, ['first', 'second', 'third']);
  assert.deepEqual(await Promise.all(works), [0, 200, 400]);
});

void test('a tenant gets its share of the processors for heavy work, and no more, while another is active', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  let pages = 0;
  const noisy = (async () => {
    for (; pages < 100; pages += 1) await limiter.acquire(workOf('noisy', { kind: 'page', bytes: MIB, budgetMs: 1e6 }));
  })();
  await pass(3000);
  // A page of a MiB is 30 ms of work; the first one is on credit.
  assert.equal(pages, 3000 / 60 + 1);
  await pass(3000);
  await noisy;
});

void test('work that takes longer than expected is charged for its time, and a slow network up to a limit', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  const slow = await limiter.acquire(workOf('noisy'));
  await pass(300);
  slow.release();
  slow.release();
  const next = waitOf(limiter, workOf('noisy'));
  await pass(400);
  assert.equal(await next, 400, '200 ms more than expected, at half a processor');
  const stalled = await limiter.acquire(workOf('slow network', { bytes: MIB }));
  await pass(60_000);
  stalled.release();
  const last = waitOf(limiter, workOf('slow network'));
  await pass(140);
  assert.equal(await last, 140);
});

void test('a tenant that is alone never waits', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('noisy');
  for (let count = 0; count < 50; count += 1) assert.equal(await waitOf(limiter, workOf('noisy')), 0);
  const leave = limiter.enter('modest');
  const order: string[] = [];
  const [work] = startAll(limiter, order, { work: workOf('noisy') });
  await pass(1500);
  assert.deepEqual(order, [], 'the running request of another tenant counts, however long it takes');
  leave();
  await pass(990);
  assert.deepEqual(order, []);
  await pass(1010);
  assert.deepEqual(order, ['work'], 'a second after the last other request');
  await work;
});

void test('the debt of a tenant is at most five seconds', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  limiter.charge(workOf('noisy', { bytes: 10_000 * MIB }));
  const order: string[] = [];
  const [work] = startAll(limiter, order, { work: workOf('noisy') });
  await pass(4990);
  assert.deepEqual(order, []);
  await pass(10);
  assert.equal(await work, 5000);
});

void test('work is refused at once if its wait would exceed the budget, with a time for the retry', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  const waiting = [1, 2, 3].map(() => limiter.acquire(workOf('noisy', { budgetMs: 400 })));
  await assert.rejects(limiter.acquire(workOf('noisy', { budgetMs: 599 })), (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['overloaded', 1]);
    return true;
  });
  await pass(400);
  await Promise.all(waiting);
});

void test('aborted work leaves the queue and costs nothing', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  const caller = new AbortController();
  const order: string[] = [];
  const [first, aborted, last] = startAll(limiter, order, {
    first: workOf('noisy'),
    aborted: workOf('noisy', { signal: caller.signal }),
    last: workOf('noisy'),
  });
  await first;
  caller.abort(new Error('hung up'));
  await assert.rejects(aborted ?? Promise.resolve(), /hung up/);
  await assert.rejects(limiter.acquire(workOf('noisy', { signal: caller.signal })), /hung up/);
  await pass(200);
  assert.deepEqual(order, ['first', 'last']);
  assert.equal(limiter.state().waiting, 0);
  assert.equal(await last, 200);
});

void test('aborting several waiting requests keeps the requests of other callers in the queue', async (t) => {
  const { limiter, pass, block } = createLimiter(t);
  limiter.enter('modest');
  const caller = new AbortController();
  const { signal } = caller;
  const order: string[] = [];
  const [first, aborted, admitted, last] = startAll(limiter, order, {
    first: workOf('noisy'),
    aborted: workOf('noisy', { signal }),
    admitted: workOf('noisy', { signal }),
    last: workOf('noisy'),
  });
  await first;
  // Removing the first work admits the second one before the abort reaches it.
  block(200);
  caller.abort(new Error('hung up'));
  await assert.rejects(aborted ?? Promise.resolve(), /hung up/);
  await admitted;
  assert.equal(limiter.state().waiting, 1);
  await pass(200);
  assert.equal(await last, 400);
});

void test('background work is free', async (t) => {
  const { limiter } = createLimiter(t);
  limiter.enter('modest');
  for (let count = 0; count < 10; count += 1) assert.equal(await waitOf(limiter, workOf('')), 0);
  limiter.charge(workOf(''));
});

void test('tenants without debt are forgotten, and tenants in debt are not', async (t) => {
  const { limiter, pass } = createLimiter(t);
  limiter.enter('modest');
  for (let count = 0; count < 5000; count += 1) {
    limiter.charge(workOf(`key ${count}`, { bytes: MIB }));
    if (count % 500 === 0) await pass(20);
  }
  const { tenants } = limiter.state();
  assert.ok(tenants <= 1500, `${tenants} tenants`);
  limiter.charge(workOf('noisy'));
  for (let count = 0; count < 2000; count += 1) limiter.charge(workOf(`another key ${count}`, { bytes: MIB }));
  const work = waitOf(limiter, workOf('noisy'));
  await pass(200);
  assert.equal(await work, 200);
});
