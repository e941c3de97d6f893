import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { runOnBehalf } from '../../domain/admission/current-tenant.ts';
import { startDeadline } from '../shared/deadline.ts';
import { CaptureSlots } from './capture-slots.ts';

// Checks: threat-slot-hoarding
test('a tenant uses all slots, also after a request of another tenant, which gets the next free one', async () => {
  using deadline = startDeadline({ timeoutMs: 60_000, signal: new AbortController().signal });
  const slots = new CaptureSlots(4, 100);
  const started: string[] = [];
  const captures: Promise<void>[] = [];
  const capture = (key: string, until: Promise<void>): void => {
    const run = runOnBehalf({ key, group: key }, () =>
      slots.run(deadline, async () => {
        started.push(key);
        await until;
      }),
    );
    captures.push(run);
  };
  capture('modest', Promise.resolve());
  await Promise.all(captures);

  const noisy = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
  for (const { promise } of noisy) capture('noisy', promise);
  await tick();
  assert.deepEqual(slots.stats(), { active: 4, waiting: 2 });
  capture('modest', Promise.resolve());
  noisy[0]?.resolve();
  await tick();
  assert.deepEqual(started, ['modest', 'noisy', 'noisy', 'noisy', 'noisy', 'modest', 'noisy']);
  for (const { resolve } of noisy) resolve();
  await Promise.all(captures);
  assert.deepEqual(slots.stats(), { active: 0, waiting: 0 });
});
