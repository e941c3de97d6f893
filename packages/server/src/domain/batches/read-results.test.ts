import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { HeavyWorkLimiter } from '../admission/heavy-work-limiter.ts';
import { readResults } from './batches.ts';
import type { Batch, BatchRepository } from './batch-ports.ts';

const LINE = 'x'.repeat(4 * 1024 * 1024);
/** Cost of a line for a reader whose share is one processor. */
const COST_MS = 41;

void test("large results are read one at a time, and wait for the reader's share of heavy work", async () => {
  const clock = { now: 0 };
  const heavyWork = new HeavyWorkLimiter({ share: 1, maxWaitMs: 8000, now: () => clock.now });
  heavyWork.enter('modest');
  let unpacked = 0;
  async function* results() {
    for (let index = 0; index < 5; index += 1) {
      unpacked += 1;
      yield { index, line: LINE };
    }
  }
  const batches = {
    find: () => Promise.resolve({ id: 'bat_1' } as Batch),
    results,
  } as unknown as BatchRepository;
  const caller = new AbortController();
  const reader = { key: 'noisy', signal: caller.signal };
  const range = { reader, after: -1, limit: 5, isPage: false };
  const lines = await readResults({ batches, heavyWork }, 'prj_1', 'bat_1', range);
  const waits = async (): Promise<void> => {
    while (heavyWork.state().waiting === 0) await nextTurn();
  };
  assert.equal((await lines.next()).value, `${LINE}\n`);
  assert.equal(unpacked, 1);
  const second = lines.next();
  await waits();
  assert.equal(unpacked, 2);
  clock.now += COST_MS;
  assert.equal((await second).value, `${LINE}\n`);
  const third = assert.rejects(lines.next(), /hung up/);
  await waits();
  caller.abort(new Error('hung up'));
  await third;
  assert.deepEqual([unpacked, heavyWork.state().waiting], [3, 0]);
});
