import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitPace } from './commit-pace.ts';

test('a turn soon after another waits, one that comes alone does not', async () => {
  const pace = new CommitPace();
  const turns: string[] = [];
  // Both are asked for at once: what has to wait for a timer is behind what waits for the end of the turn.
  const turn = async (name: string, of: CommitPace): Promise<void> => {
    await of.turn();
    turns.push(name);
  };
  await turn('first', pace);
  const firstAt = performance.now();
  await Promise.all([turn('soon after', pace), turn('alone', new CommitPace())]);
  assert.deepEqual(turns, ['first', 'alone', 'soon after']);
  // Timers may be a millisecond early.
  assert.ok(performance.now() - firstAt >= 6);
});
