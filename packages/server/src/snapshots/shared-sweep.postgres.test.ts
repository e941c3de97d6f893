/** Only one of several nodes sweeps at a time. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedTasks } from '../domain/shared/leases.ts';
import { TestNodes } from '../store/testing/test-nodes.ts';
import { SnapshotSweeper, startSweeping } from './snapshot-sweeper.ts';
import type { SweepReport } from './snapshot-sweeper.ts';

const nodes = new TestNodes();
after(() => nodes.stop());

const NOTHING = {} as never;

/** A slow sweeper that detects concurrent sweeps. */
class SlowSweeper extends SnapshotSweeper {
  static running = 0;
  static overlaps = 0;
  sweeps = 0;
  orphanSweeps = 0;

  constructor() {
    super(NOTHING, NOTHING, {});
  }

  override async sweep(): Promise<SweepReport> {
    this.sweeps += 1;
    SlowSweeper.running += 1;
    if (SlowSweeper.running > 1) SlowSweeper.overlaps += 1;
    await sleep(30);
    SlowSweeper.running -= 1;
    return { removedByAge: 0, removedBySize: 0 };
  }

  override async sweepOrphans(): Promise<number> {
    this.orphanSweeps += 1;
    return 0;
  }
}

test('one node sweeps at a time, and the others skip that sweep', { skip: nodes.skip }, async () => {
  const shared = await nodes.start();
  const sweepers = [new SlowSweeper(), new SlowSweeper()];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let reports = 0;
  const schedules = sweepers.map((sweeper, index) =>
    startSweeping(sweeper, {
      intervalMs: 20,
      orphansEvery: 1_000_000,
      sharing: { tasks: shared[index]?.tasks ?? assert.fail(), node: `node ${index}` },
      onReport: () => {
        reports += 1;
        if (reports === 6) resolve();
      },
      onError: (error) => assert.fail(String(error)),
    }),
  );
  await enough;
  for (const schedule of schedules) await schedule.stop();
  assert.equal(SlowSweeper.overlaps, 0);
  assert.equal(
    sweepers.reduce((sum, { orphanSweeps }) => sum + orphanSweeps, 0),
    1,
    'one sweep counts for all nodes',
  );
});

test(
  'a shared task has one holder, becomes due again, and is free when its holder dies',
  { skip: nodes.skip },
  async () => {
    const [{ tasks: one }, { tasks: other }] = (await nodes.start()) as readonly [
      { readonly tasks: SharedTasks },
      { readonly tasks: SharedTasks },
    ];
    const claims = await Promise.all([one.begin('work', 'a', 60_000), other.begin('work', 'b', 60_000)]);
    assert.deepEqual(claims.filter(Boolean), [true]);
    const holder = claims[0] ? 'a' : 'b';
    assert.equal(await other.renew('work', holder, 60_000), true);
    await one.end('work', 'nobody', 0);
    assert.equal(await one.begin('work', 'c', 60_000), false, 'only the holder can end it');
    await one.end('work', holder, 60_000);
    assert.equal(await other.begin('work', 'c', 60_000), false, 'it is not due');
    assert.equal(await one.begin('other work', 'dead', 1), true);
    while (!(await other.begin('other work', 'alive', 60_000))) await sleep(5);
    assert.equal(await one.renew('other work', 'dead', 60_000), false, 'its lease is lost');
  },
);
