import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { AppError } from '../errors.ts';
import { BatchRunner } from './batch-runner.ts';

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

test('leases that ran out are looked for by the monotonic clock, also when the wall clock is set back', async (t) => {
  const store = await openTestStore(t);
  const looks: (() => void)[] = [];
  const batches = Object.assign(Object.create(store.batches) as typeof store.batches, {
    reclaim: async (now: Date) => {
      looks.shift()?.();
      return store.batches.reclaim(now);
    },
  });
  const nextLook = (): Promise<void> => new Promise((resolve) => void looks.push(resolve));
  const runner = new BatchRunner({
    batches,
    owner: 'one',
    concurrency: 1,
    leaseMs: 60,
    idleMs: 10,
    logger,
    runItem: () => assert.fail('there is no work'),
    describeFailure: () => assert.fail('there is no work'),
  });
  const first = nextLook();
  runner.start();
  await first;
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 86_400_000 });
  await nextLook();
  await nextLook();
  await runner.close();
});

test(
  'what a process that died had leased is taken back once the database lets it be, and then no more',
  { timeout: 30_000 },
  async (t) => {
    const { batches, projects } = await openTestStore(t);
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
    const leased = await batches.claim({ owner: 'dead', until: new Date(Date.now() + 3_600_000) }, 1);
    assert.equal(leased.length, 1);
    const looks: Date[] = [];
    const reclaim = batches.reclaim.bind(batches);
    batches.reclaim = async (now) => {
      looks.push(now);
      if (looks.length <= 2) throw new AppError('overloaded', 'the disk of the service is full');
      return reclaim(now);
    };
    const warnings: string[] = [];
    const warn = (fields: object, message: string): void => void warnings.push(`${message} ${JSON.stringify(fields)}`);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const runner = new BatchRunner({
      batches,
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
    while (looks.length < 4) await sleep(5);
    await runner.close();
    const failed = 'working on batches failed {"reason":"the disk of the service is full"}';
    assert.deepEqual(warnings, [failed, failed]);
    const inFuture = looks.map((look) => look.getTime() > Date.now() + 3_600_000);
    assert.deepEqual(inFuture.slice(0, 4), [true, true, true, false]);
  },
);

test('a batch is completed when its last item is, whatever of others waits or runs', { timeout: 30_000 }, async (t) => {
  const { batches, projects } = await openTestStore(t);
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
