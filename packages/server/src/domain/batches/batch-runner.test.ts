import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import { BatchRunner } from './batch-runner.ts';

test('leases that ran out are looked for by the monotonic clock, also when the wall clock is set back', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-runner-'));
  const location = { sqliteFile: path.join(folder, 'winnow.db') };
  const store = await openStore({ location, onError: () => undefined });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
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
    logger: { debug() {}, info() {}, warn() {}, error() {} },
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
