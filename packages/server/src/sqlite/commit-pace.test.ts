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

test('who the last turn was not for ends the pause of those that come all the time', async () => {
  const turns: string[] = [];
  const pause = async (name: string, comer: string): Promise<void> => {
    const pace = new CommitPace();
    pace.expect('greedy');
    await pace.turn();
    pace.expect('greedy');
    const next = pace.turn().then(() => turns.push(name));
    pace.expect(comer);
    await next;
  };
  await Promise.all([pause('the same again', 'greedy'), pause('somebody else', 'modest')]);
  assert.deepEqual(turns, ['somebody else', 'the same again']);
});
