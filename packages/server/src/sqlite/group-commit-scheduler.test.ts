import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GroupCommitScheduler } from './group-commit-scheduler.ts';

test('a sync soon after another is delayed, and a single one is not', async () => {
  const schedule = new GroupCommitScheduler();
  await schedule.turn();
  const firstAt = performance.now();
  await schedule.turn();
  // Timers may fire a millisecond early.
  assert.ok(performance.now() - firstAt >= 6);
  const turns: string[] = [];
  const pass = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) await nextTurn();
    turns.push('three turns of the event loop');
  };
  await Promise.all([pass(3), new GroupCommitScheduler().turn().then(() => turns.push('alone'))]);
  assert.deepEqual(turns, ['alone', 'three turns of the event loop']);
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
