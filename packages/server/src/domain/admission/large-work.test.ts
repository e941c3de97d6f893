import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { CaptureError } from '../capture/capture-error.ts';
import type { Capture } from '../capture/capture-ports.ts';
import { runOnBehalf } from './current-tenant.ts';
import { LARGE_BYTES, LargeWork, LargePageFetcher } from './large-work.ts';

const MIB = 1024 * 1024;
const live = new AbortController().signal;

/** Only the test advances the clock; pauses are as long as the work. */
function createWork(isOtherActive = true) {
  const clock = { now: 1000 };
  const work = new LargeWork(1, () => clock.now);
  const leave = isOtherActive ? work.enter('modest') : () => undefined;
  /** Works for some time. */
  const spend = async (ms: number, { key = 'noisy', bytes = 10 * MIB } = {}): Promise<void> => {
    const end = await work.begin(key, { signal: live });
    clock.now += ms;
    end(bytes);
  };
  const begin = (key = 'noisy', signal = live) => watch(work.begin(key, { signal }));
  return { clock, work, leave, spend, begin };
}

function watch<T>(promise: Promise<T>) {
  let isDone = false;
  void promise.then(
    () => (isDone = true),
    () => undefined,
  );
  return {
    promise,
    isDone: async () => {
      for (let turns = 0; turns < 3; turns += 1) await nextTurn();
      return isDone;
    },
  };
}

// Checks: threat-large-requests
test('a tenant pauses between large works while another is active, as long as they took', async () => {
  const { clock, spend, begin } = createWork();
  await spend(30);
  const second = begin();
  assert.equal(await begin('modest').isDone(), true, 'the other tenant does not wait');
  clock.now += 29;
  assert.equal(await second.isDone(), false);
  clock.now += 1;
  await second.promise;
});

// Checks: threat-large-requests
test('a tenant that is alone never pauses, also not when others have been inactive for a second', async () => {
  const alone = createWork(false);
  for (let count = 0; count < 3; count += 1) await alone.spend(1000);
  const { clock, leave, spend, begin } = createWork();
  await spend(3000);
  const second = begin();
  leave();
  assert.equal(await second.isDone(), false);
  clock.now += 1001;
  await second.promise;
});

// Checks: threat-large-requests
test('a slow network and earlier work delay large work only up to a limit', async () => {
  const { clock, work, spend, begin } = createWork();
  await spend(60_000, { bytes: MIB });
  clock.now += 239;
  const second = begin();
  assert.equal(await second.isDone(), false);
  clock.now += 1;
  await second.promise;
  for (let count = 0; count < 3; count += 1) await spend(60_000, { key: `other ${count}`, bytes: 1000 * MIB });
  await assert.rejects(work.begin('other 2', { signal: live, budgetMs: 4999 }), {
    code: 'overloaded',
    retryAfterSeconds: 5,
  });
  clock.now += 5000;
  assert.equal(await begin('other 2').isDone(), true);
});

test('large work whose caller hangs up does not wait', async () => {
  const { spend, begin } = createWork();
  await spend(4000);
  const caller = new AbortController();
  const { promise } = begin('noisy', caller.signal);
  caller.abort(new Error('hung up'));
  await assert.rejects(promise, /hung up/);
});

// Checks: threat-large-requests
test('after large pages and error pages a tenant pauses, after small ones and background work it does not', async () => {
  const { clock, work, begin } = createWork();
  const pageOf = (bytes: number) => ({ html: 'x'.repeat(bytes) }) as unknown as Capture;
  const large = pageOf(LARGE_BYTES + 1);
  const failure = new CaptureError('http_status_not_ok', 'status 403', { capture: large });
  const take = (key: string, answer: () => Promise<Capture>): Promise<Capture> =>
    runOnBehalf({ key, group: 'project' }, () => {
      const fetcher = new LargePageFetcher({ capture: answer }, work);
      return fetcher
        .capture('http', { url: new URL('https://a.test/'), timeoutMs: 100_000, signal: live })
        .finally(() => (clock.now += 100));
    });
  await take('', () => Promise.resolve(large));
  await take('noisy', () => Promise.resolve(pageOf(LARGE_BYTES)));
  assert.equal(await begin().isDone(), true);
  await take('noisy', () => Promise.resolve(large));
  const second = begin();
  // Reading half a MiB counts, too.
  clock.now += 114;
  assert.equal(await second.isDone(), false);
  clock.now += 2;
  await second.promise;
  const third = take('third', () => Promise.reject(failure));
  await assert.rejects(third, failure);
  assert.equal(await begin('third').isDone(), false);
  clock.now += 116;
});
