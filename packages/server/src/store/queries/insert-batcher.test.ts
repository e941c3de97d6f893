import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { InsertBatcher } from './insert-batcher.ts';

/** Writes that complete when the test calls `end`. */
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

test('items of one tick are written together, and later items do not wait for them', async () => {
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

test('at most four writes run at a time; waiting items share the next ones, and drain waits for all', async () => {
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
  while (held.batches.length < 6) await nextTurn();
  assert.deepEqual(held.batches.slice(4), [
    [4, 5, 6],
    [7, 8, 9],
  ]);
  assert.equal(isDrained, false);
  held.end();
  await Promise.all([...adds, draining]);
});

test('items with a gathering time are collected and written one batch after another', async () => {
  const held = new HeldWrites();
  const batcher = new InsertBatcher(held.write, 2, 1);
  const adds = [1, 2, 3].map((item) => batcher.add(item));
  while (held.batches.length === 0) await nextTurn();
  assert.deepEqual(held.batches, [[1, 2]]);
  held.end();
  while (held.batches.length === 1) await nextTurn();
  assert.deepEqual(held.batches.slice(1), [[3]]);
  held.end();
  await Promise.all(adds);
});

test('one bad item does not fail the others of its batch', async () => {
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
