import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StallWatch } from './stall-watch.ts';

test('a blocked event loop is recorded, and affects only requests that were running', async () => {
  const watch = new StallWatch(1000);
  try {
    const before = performance.now();
    await sleep(10);
    assert.equal(watch.hasStalledSince(before), false);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
    // Before the timer could notice.
    assert.equal(watch.hasStalledSince(before), true);
    assert.equal(watch.hasStalledSince(performance.now()), false);
    assert.deepEqual(watch.stalls, [{ second: 0, seconds: 1 }]);
  } finally {
    watch.close();
  }
});
