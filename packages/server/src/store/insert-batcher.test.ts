import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { InsertBatcher } from './insert-batcher.ts';

/** Writes that end when they are told to. */
class HeldWrites {
  readonly batches: (readonly number[])[] = [];
  readonly #ends: (() => void)[] = [];

  readonly write = (items: readonly number[]): Promise<void> => {
    this.batches.push(items);
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

test('what comes in one turn is written together, and what comes later does not wait for it', async () => {
  const held = new HeldWrites();
  const batcher = new InsertBatcher(held.write, 10);
  const adds = [batcher.add(1), batcher.add(2)];
  await nextTurn();
  adds.push(batcher.add(3));
  await nextTurn();
  assert.deepEqual(held.batches, [[1, 2], [3]]);
  held.end();
  await Promise.all(adds);
});

test('no more than four writes are under way; what is over goes with the next, and all of it before the end', async () => {
  const held = new HeldWrites();
  const batcher = new InsertBatcher(held.write, 3);
  const adds: Promise<void>[] = [];
  for (let item = 0; item < 10; item += 1) {
    adds.push(batcher.add(item));
    await nextTurn();
  }
  assert.deepEqual(held.batches, [[0], [1], [2], [3]]);
  let isDrained = false;
  const draining = batcher.drain().then(() => (isDrained = true));
  held.end();
  await sleep(10);
  assert.deepEqual(held.batches.slice(4), [
    [4, 5, 6],
    [7, 8, 9],
  ]);
  assert.equal(isDrained, false);
  held.end();
  await Promise.all([...adds, draining]);
});

test('what nobody is in a hurry for is gathered, and written one batch after the other', async () => {
  const held = new HeldWrites();
  const batcher = new InsertBatcher(held.write, 2, 1);
  const adds = [1, 2, 3].map((item) => batcher.add(item));
  await sleep(20);
  assert.deepEqual(held.batches, [[1, 2]]);
  held.end();
  await sleep(20);
  assert.deepEqual(held.batches.slice(1), [[3]]);
  held.end();
  await Promise.all(adds);
});

test('one bad item does not take the others of its batch with it', async () => {
  const written: number[] = [];
  const write = async (items: readonly number[]): Promise<void> => {
    if (items.includes(2)) throw new Error('a bad item');
    written.push(...items);
  };
  const batcher = new InsertBatcher(write, 10);
  const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(written, [1, 3]);
});
