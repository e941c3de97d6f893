import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../shared/errors.ts';
import { FairQueue } from './fair-queue.ts';
import type { AcquireRequest, FairQueueOptions, Permit } from './fair-queue.ts';

const live = new AbortController().signal;

function createQueue(options: Partial<FairQueueOptions> = {}): FairQueue {
  return new FairQueue({ slots: 1, maxWaiting: 1000, name: 'the service', ...options });
}

function requestOf(key: string, more: Partial<AcquireRequest> = {}): AcquireRequest {
  return { key, group: `group of ${key}`, signal: live, ...more };
}

async function refusal(entered: Promise<Permit>): Promise<AppError> {
  const error = await entered.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, 'it was admitted');
  return error;
}

/** Serves one request a key, one after another; returns the order of the keys. */
async function serveAll(
  queue: FairQueue,
  keys: readonly string[],
  more: Partial<AcquireRequest> = {},
): Promise<string[]> {
  const order: string[] = [];
  const blocker = await queue.acquire(requestOf('blocker'));
  const served = keys.map(async (key) => {
    const permit = await queue.acquire(requestOf(key, more));
    order.push(key);
    permit.release();
  });
  blocker.release();
  await Promise.all(served);
  return order;
}

// Checks: threat-slot-hoarding
test('a tenant with 200 waiting requests delays others by one turn at most', async () => {
  const noisy = Array.from({ length: 200 }, () => 'noisy');
  const order = await serveAll(createQueue(), [...noisy, 'modest', 'modest', 'modest']);
  const turns = order.flatMap((key, index) => (key === 'modest' ? [index] : []));
  assert.deepEqual(turns, [1, 3, 5]);
});

// Checks: threat-slot-hoarding
test('the keys of a project share its turns', async () => {
  const queue = createQueue({ slots: 2 });
  const first = await queue.acquire({ key: 'key 0', group: 'many', signal: live });
  await queue.acquire({ key: 'key 1', group: 'many', signal: live });
  const third = queue.acquire({ key: 'key 2', group: 'many', signal: live }).then(() => 'many');
  const one = queue.acquire({ key: 'key', group: 'one', signal: live }).then(() => 'one');
  first.release();
  assert.equal(await Promise.race([third, one]), 'one');
});

test('a tenant is served first come, first served', async () => {
  const queue = createQueue();
  const permit = await queue.acquire(requestOf('a'));
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const own = await queue.acquire(requestOf('a'));
    order.push(number);
    own.release();
  });
  permit.release();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
});

test('a group uses no more than its slots while others are free', async () => {
  const queue = createQueue({ slots: 3, slotsPerGroup: 1 });
  const first = await queue.acquire(requestOf('a'));
  let isAdmitted = false;
  const second = queue.acquire(requestOf('a')).then((permit) => {
    isAdmitted = true;
    return permit;
  });
  const other = await queue.acquire(requestOf('b'));
  assert.equal(isAdmitted, false);
  assert.deepEqual([queue.state().running, queue.state().waiting], [2, 1]);
  first.release();
  (await second).release();
  other.release();
  assert.equal(queue.state().running, 0);
});

// Checks: threat-slot-hoarding
test('a free slot serves a request also when the queue is full of a group at its limit', async () => {
  const queue = createQueue({ slots: 3, slotsPerGroup: 1, maxWaiting: 2 });
  const keys = ['key 0', 'key 1', 'key 2'];
  const permits = keys.map((key) => queue.acquire({ key, group: 'many', signal: live }));
  assert.deepEqual([queue.state().running, queue.state().waiting], [1, 2]);
  (await queue.acquire(requestOf('other'))).release();
  for (const permit of permits) (await permit).release();
});

test('no request waits beside a slot that it may take, whatever came before', async () => {
  let seed = 7;
  const draw = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (const limits of [{}, { slotsPerGroup: 2 }, { extraSlots: 2 }, { slotsPerGroup: 3, extraSlots: 1 }]) {
    const queue = createQueue({ slots: 4, ...limits });
    const held: { readonly group: string; readonly permit: Permit }[] = [];
    const waiting = new Map<symbol, string>();
    for (let step = 0; step < 400; step += 1) {
      const group = `group ${draw(3)}`;
      const id = Symbol(group);
      if (draw(2) === 0 && waiting.size < 50) {
        waiting.set(id, group);
        void queue.acquire({ key: `${group} ${draw(2)}`, group, signal: live }).then((permit) => {
          waiting.delete(id);
          held.push({ group, permit });
        });
      } else held.splice(draw(held.length || 1), 1)[0]?.permit.release();
      await new Promise(setImmediate);
      if (held.length >= 4) continue;
      const free = [...waiting.values()].filter(
        (one) => held.filter((other) => other.group === one).length < (limits.slotsPerGroup ?? Infinity),
      );
      assert.deepEqual(free, [], `${free.length} wait beside ${4 - held.length} free slots`);
    }
  }
});

// Checks: threat-overload
test('a full queue drops a request of the tenant with the most to admit one of another tenant', async () => {
  const queue = createQueue({ maxWaiting: 3 });
  const permit = await queue.acquire(requestOf('busy'));
  const noisy = [1, 2, 3].map(() => queue.acquire(requestOf('noisy')));
  const dropped = refusal(noisy[2] ?? assert.fail());
  const refusedRequest = await refusal(
    (async () => {
      const modest = queue.acquire(requestOf('modest'));
      modest.then((own) => own.release()).catch(() => undefined);
      return queue.acquire(requestOf('noisy'));
    })(),
  );
  assert.equal((await dropped).code, 'overloaded');
  assert.equal(refusedRequest.code, 'overloaded');
  assert.ok((refusedRequest.retryAfterSeconds ?? 0) >= 1);
  permit.release();
  for (const waiting of noisy.slice(0, 2)) (await waiting).release();
});

test('a request with an expected wait over its budget is rejected at once', async () => {
  let clock = 0;
  const queue = createQueue({ now: () => clock });
  const first = await queue.acquire(requestOf('a'));
  clock += 10_000;
  first.release();
  const second = await queue.acquire(requestOf('a'));
  const error = await refusal(queue.acquire(requestOf('b', { budgetMs: 5000 })));
  assert.equal(error.code, 'overloaded');
  assert.equal(error.stage, 'request');
  assert.equal(error.retryAfterSeconds, 10);
  second.release();
  assert.equal((await queue.acquire(requestOf('b', { budgetMs: 5000 }))).waitedMs, 0);
});

test('a request that waited for its whole budget is rejected', async () => {
  const queue = createQueue();
  await queue.acquire(requestOf('a'));
  assert.equal((await refusal(queue.acquire(requestOf('b', { budgetMs: 20 })))).code, 'overloaded');
  assert.equal(queue.state().waiting, 0);
});

test('a cancelled request leaves the queue, and the next one gets its turn', async () => {
  const queue = createQueue();
  const permit = await queue.acquire(requestOf('a'));
  const caller = new AbortController();
  const gone = refusal(queue.acquire(requestOf('b', { signal: caller.signal })));
  const next = queue.acquire(requestOf('c'));
  caller.abort(new AppError('internal', 'the caller closed the connection'));
  assert.equal((await gone).message, 'the caller closed the connection');
  assert.equal(queue.state().waiting, 1);
  permit.release();
  (await next).release();
  assert.equal(queue.state().running, 0);
});

test('a closed queue rejects waiting and new requests, and a double release frees one slot', async () => {
  const queue = createQueue();
  const permit = await queue.acquire(requestOf('a'));
  const waiting = refusal(queue.acquire(requestOf('b')));
  queue.close(new AppError('overloaded', 'the service is shutting down'));
  assert.equal((await waiting).message, 'the service is shutting down');
  assert.equal((await refusal(queue.acquire(requestOf('c')))).message, 'the service is shutting down');
  permit.release();
  permit.release();
  assert.equal(queue.state().running, 0);
});

test('a tenant takes every free slot, also a moment after another one was active', async () => {
  const queue = createQueue({ slots: 4, now: () => 0 });
  (await queue.acquire(requestOf('modest'))).release();
  const noisy = Array.from({ length: 6 }, () => queue.acquire(requestOf('noisy')));
  assert.deepEqual([queue.state().running, queue.state().waiting], [4, 2]);
  const modest = queue.acquire(requestOf('modest'));
  (await noisy[0])?.release();
  (await modest).release();
  assert.deepEqual([queue.state().running, queue.state().waiting], [4, 1], 'the slot of the other one is used again');
});

// Checks: threat-slot-hoarding
test('a tenant that takes all slots for long leaves extra slots to others', async () => {
  let clock = 0;
  const queue = createQueue({ slots: 8, extraSlots: 4, now: () => clock });
  const noisy = Array.from({ length: 20 }, () => queue.acquire(requestOf('noisy')));
  assert.deepEqual([queue.state().running, queue.state().waiting], [8, 12]);
  clock += 60_000;
  for (let calls = 0; calls < 5; calls += 1) {
    const modest = await queue.acquire(requestOf('modest', { budgetMs: 1 }));
    assert.equal(modest.waitedMs, 0);
    modest.release();
  }
  assert.deepEqual([queue.state().running, queue.state().waiting], [8, 12]);
  const second = Array.from({ length: 20 }, () => queue.acquire(requestOf('second')));
  assert.equal(queue.state().running, 10, 'a second noisy tenant leaves half of the extra slots');
  assert.equal((await queue.acquire(requestOf('modest', { budgetMs: 1 }))).waitedMs, 0);
  for (const permit of await Promise.all(noisy.slice(0, 8))) permit.release();
  await Promise.all(second.slice(0, 4));
});

test('the estimated wait includes the age of running work, also for a group at its limit', async () => {
  let clock = 0;
  const queue = createQueue({ slots: 4, slotsPerGroup: 2, now: () => clock });
  await Promise.all([queue.acquire(requestOf('a')), queue.acquire(requestOf('a'))]);
  clock += 30_000;
  const own = await refusal(queue.acquire(requestOf('a', { budgetMs: 5000 })));
  assert.equal(own.retryAfterSeconds, 15);
  await Promise.all([queue.acquire(requestOf('b')), queue.acquire(requestOf('c'))]);
  clock += 30_000;
  assert.equal(queue.state().expectedWaitMs, 11_250);
  assert.equal((await refusal(queue.acquire(requestOf('d', { budgetMs: 11_000 })))).retryAfterSeconds, 12);
});
