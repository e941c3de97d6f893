import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GroupCommitScheduler } from './group-commit-scheduler.ts';

test('a sync soon after another is delayed, and a single one is not', async () => {
  const schedule = new GroupCommitScheduler();
  const turns: string[] = [];
  // A turn that waits for a timer resolves after one that waits only for the end of the tick.
  const turn = async (name: string, of: GroupCommitScheduler): Promise<void> => {
    await of.turn();
    turns.push(name);
  };
  await turn('first', schedule);
  const firstAt = performance.now();
  await Promise.all([turn('soon after', schedule), turn('alone', new GroupCommitScheduler())]);
  assert.deepEqual(turns, ['first', 'alone', 'soon after']);
  // Timers may fire a millisecond early.
  assert.ok(performance.now() - firstAt >= 6);
});

// Checks: threat-slot-hoarding
test('a commit of another tenant shortens the delay caused by a busy tenant', async () => {
  const turns: string[] = [];
  const pause = async (name: string, tenant: string): Promise<void> => {
    const schedule = new GroupCommitScheduler();
    schedule.expect('noisy');
    await schedule.turn();
    schedule.expect('noisy');
    const next = schedule.turn().then(() => turns.push(name));
    schedule.expect(tenant);
    await next;
  };
  await Promise.all([pause('same tenant', 'noisy'), pause('another tenant', 'modest')]);
  assert.deepEqual(turns, ['another tenant', 'same tenant']);
});
