import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { KeyQuota } from '../admission/quotas.ts';
import type { QuotaCounter } from '../admission/quotas.ts';
import { AppError } from '../shared/errors.ts';
import { BatchRunner, ItemQuota } from './batch-runner.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

async function openTestStore(t: TestContext): Promise<Store> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-runner-'));
  const location = { sqliteFile: path.join(folder, 'winnow.db') };
  const store = await openStore({ location, onError: () => undefined });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

// Checks: threat-clock
test('expired leases are reclaimed by the monotonic clock, even if the wall clock is set back', async (t) => {
  const store = await openTestStore(t);
  const listeners: (() => void)[] = [];
  const { batchQueue: queue } = store;
  const reclaim = queue.reclaim.bind(queue);
  queue.reclaim = async (now) => {
    listeners.shift()?.();
    return reclaim(now);
  };
  const nextReclaim = (): Promise<void> => new Promise((resolve) => void listeners.push(resolve));
  const runner = new BatchRunner({
    batches: store.batches,
    queue,
    owner: 'one',
    concurrency: 1,
    leaseMs: 60,
    idleMs: 10,
    logger,
    runItem: () => assert.fail('there is no work'),
    describeFailure: () => assert.fail('there is no work'),
  });
  const first = nextReclaim();
  runner.start();
  await first;
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 86_400_000 });
  await nextReclaim();
  await nextReclaim();
  await runner.close();
});

test(
  "a dead process's leases are reclaimed as soon as the database works, and only once",
  { timeout: 30_000 },
  async (t) => {
    const { batches, batchQueue: queue, projects } = await openTestStore(t);
    await projects.insert({ id: 'prj_a', name: 'a', createdAt: new Date(), archivedAt: null });
    await batches.create({
      id: 'bat_a',
      projectId: 'prj_a',
      idempotencyKey: null,
      fingerprint: 'a',
      options: { formats: [], respectRobots: true },
      webhook: null,
      createdAt: new Date(),
      items: [{ kind: 'url', value: 'https://a.example/' }],
    });
    const leased = await queue.claim({ owner: 'dead', until: new Date(Date.now() + 3_600_000) }, 1);
    assert.equal(leased.length, 1);
    const reclaimTimes: Date[] = [];
    const reclaim = queue.reclaim.bind(queue);
    queue.reclaim = async (now) => {
      reclaimTimes.push(now);
      if (reclaimTimes.length <= 2) throw new AppError('overloaded', 'the disk of the service is full');
      return reclaim(now);
    };
    const warnings: string[] = [];
    const warn = (fields: object, message: string): void => void warnings.push(`${message} ${JSON.stringify(fields)}`);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const runner = new BatchRunner({
      batches,
      queue,
      owner: 'one',
      isAlone: true,
      concurrency: 1,
      idleMs: 10,
      leaseMs: 60,
      logger: { ...logger, warn },
      runItem: async ({ index }) => ({ failed: false, line: JSON.stringify({ index, done: resolve() }) }),
      describeFailure: () => assert.fail('nothing fails'),
    });
    runner.start();
    await done;
    while (reclaimTimes.length < 4) await sleep(5);
    await runner.close();
    const failed = 'processing batches failed {"reason":"the disk of the service is full"}';
    assert.deepEqual(warnings, [failed, failed]);
    const inFuture = reclaimTimes.map((reclaimTime) => reclaimTime.getTime() > Date.now() + 3_600_000);
    assert.deepEqual(inFuture.slice(0, 4), [true, true, true, false]);
  },
);

test('a batch is completed after its last item, even while other batches run', { timeout: 30_000 }, async (t) => {
  const { batches, batchQueue: queue, projects } = await openTestStore(t);
  await projects.insert({ id: 'prj_a', name: 'a', createdAt: new Date(), archivedAt: null });
  const create = (id: string, items: number, createdAt: Date) =>
    batches.create({
      id,
      projectId: 'prj_a',
      idempotencyKey: null,
      fingerprint: id,
      options: { formats: [], respectRobots: true },
      webhook: null,
      createdAt,
      items: Array.from({ length: items }, (_, index) => ({ kind: 'url', value: `https://a.example/${index}` })),
    });
  await create('bat_small', 2, new Date(1000));
  await create('bat_endless', 50, new Date(2000));
  const runner = new BatchRunner({
    batches,
    queue,
    owner: 'one',
    concurrency: 2,
    idleMs: 10,
    logger,
    runItem: async ({ batchId, index }, signal) => {
      if (batchId === 'bat_endless') await sleep(2 ** 30, undefined, { signal });
      return { failed: false, line: JSON.stringify({ index }) };
    },
    describeFailure: () => assert.fail('nothing fails'),
  });
  runner.start();
  try {
    while ((await batches.find('prj_a', 'bat_small'))?.state !== 'completed') await sleep(10, undefined, t);
    assert.equal((await batches.find('prj_a', 'bat_endless'))?.state, 'running');
  } finally {
    await runner.close();
  }
});

/** A quota counter whose windows end on demand. */
class TestCounter implements QuotaCounter {
  readonly #used = new Map<string, number>();
  isBroken = false;
  failures = 0;
  time = 0;

  async take(keyId: string, limit: number): Promise<{ allowed: boolean; remaining: number; resetMs: number }> {
    if (this.isBroken) {
      this.failures += 1;
      throw new AppError('overloaded', 'the database does not answer');
    }
    const used = this.usedOf(keyId);
    if (used < limit) this.#used.set(keyId, used + 1);
    return { allowed: used < limit, remaining: Math.max(0, limit - used - 1), resetMs: 60_000 };
  }

  usedOf(keyId: string): number {
    return this.#used.get(keyId) ?? 0;
  }

  beginWindow(): void {
    this.#used.clear();
    this.time += 60_000;
  }
}

// Checks: threat-quota
test(
  'items over the quota of their key wait for its next window and do not delay others',
  { timeout: 60_000 },
  async (t) => {
    const { batches, batchQueue: queue, projects } = await openTestStore(t);
    await projects.insert({ id: 'prj_a', name: 'a', createdAt: new Date(), archivedAt: null });
    const create = (id: string, items: number, key?: { id: string; quotaPerMinute: number | null }) =>
      batches.create({
        id,
        projectId: 'prj_a',
        idempotencyKey: null,
        fingerprint: id,
        options: { formats: [], respectRobots: true, ...(key ? { key } : {}) },
        webhook: null,
        createdAt: new Date(),
        items: Array.from({ length: items }, (_, index) => ({ kind: 'url', value: `https://a.example/${index}` })),
      });
    const counter = new TestCounter();
    const finished: string[] = [];
    const runner = new BatchRunner({
      batches,
      queue,
      owner: 'one',
      concurrency: 4,
      idleMs: 10,
      quota: new ItemQuota(new KeyQuota(0, counter), () => counter.time),
      logger,
      runItem: async ({ batchId, index, attempt }) => {
        finished.push(batchId);
        return { failed: attempt !== 1, line: JSON.stringify({ index }) };
      },
      describeFailure: () => assert.fail('nothing fails'),
    });
    await create('bat_paced', 20, { id: 'key_paced', quotaPerMinute: 10 });
    await create('bat_free', 6, { id: 'key_free', quotaPerMinute: null });
    await create('bat_old', 6);
    const finishedOf = (id: string): number => finished.filter((batchId) => batchId === id).length;
    const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await condition())) await sleep(10, undefined, t);
    };
    const isCompleted = async (id: string) => (await batches.find('prj_a', id))?.state === 'completed';
    runner.start();
    try {
      await until(async () => (await isCompleted('bat_free')) && (await isCompleted('bat_old')));
      // A tenth of the quota is reserved for requests.
      await until(() => finishedOf('bat_paced') === 9);
      assert.equal(counter.usedOf('key_paced'), 9);
      const isWaiting = async (): Promise<boolean> => {
        const { queued, running, done, failed } = await batches.count('bat_paced');
        return queued === 11 && running === 0 && done === 9 && failed === 0;
      };
      await until(isWaiting);
      counter.isBroken = true;
      counter.beginWindow();
      await until(() => counter.failures > 2);
      assert.equal(finishedOf('bat_paced'), 9, 'no item starts while the quota cannot be read');
      counter.isBroken = false;
      await until(() => finishedOf('bat_paced') === 18);
      counter.beginWindow();
      await until(() => isCompleted('bat_paced'));
      assert.deepEqual(await batches.count('bat_paced'), { queued: 0, running: 0, done: 20, failed: 0, cancelled: 0 });
    } finally {
      await runner.close();
    }
  },
);
