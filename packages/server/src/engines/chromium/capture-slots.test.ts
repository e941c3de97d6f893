import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { runOnBehalf } from '../../domain/admission/current-tenant.ts';
import { startDeadline } from '../shared/deadline.ts';
import { createCaptureSlots } from './capture-slots.ts';

test('a tenant alone uses all slots, and one of four after a request of another tenant', async () => {
  using deadline = startDeadline({ timeoutMs: 60_000, signal: new AbortController().signal });
  const slots = createCaptureSlots(4, 100);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let running = 0;
  const captures: Promise<void>[] = [];
  const capture = (key: string, until: Promise<void>): void => {
    const run = runOnBehalf({ key, group: key }, () =>
      slots.run(deadline, async () => {
        running += 1;
        await until;
        running -= 1;
      }),
    );
    captures.push(run);
  };
  for (let count = 0; count < 6; count += 1) capture('noisy', over);
  await tick();
  assert.equal(running, 4);
  capture('modest', Promise.resolve());
  end();
  await Promise.all(captures);

  const never = Promise.withResolvers<void>();
  for (let count = 0; count < 6; count += 1) capture('noisy', never.promise);
  await tick();
  assert.deepEqual([running, slots.stats()], [1, { active: 1, waiting: 5 }]);
  never.resolve();
  await Promise.all(captures);
  assert.deepEqual(slots.stats(), { active: 0, waiting: 0 });
});
