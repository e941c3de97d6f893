/** Contract of the host rate limiter: within one process, and for two nodes on one PostgreSQL database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostLeases } from '../../domain/admission/admission-ports.ts';
import { LocalHostRateLimiter } from '../../domain/admission/host-rate-limiter.ts';
import type { HostPermit, HostRateLimitOptions, HostRateLimiter } from '../../domain/admission/host-rate-limiter.ts';
import { SharedHostRateLimiter } from '../../domain/admission/shared-host-rate-limiter.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { TestNodes } from '../testing/test-nodes.ts';

interface Kind {
  readonly name: string;
  readonly skip: string | false;
  /** Starts the limiters of two nodes of one deployment. */
  start(options: HostRateLimitOptions): Promise<readonly [HostRateLimiter, HostRateLimiter]>;
}

const PLENTY_MS = 60_000;
const nodes = new TestNodes();
const opened: HostRateLimiter[] = [];
let nodeCount = 0;

function shared(hosts: HostLeases, options: HostRateLimitOptions, leaseMs?: number): SharedHostRateLimiter {
  nodeCount += 1;
  const limiter = new SharedHostRateLimiter(hosts, {
    ...options,
    node: `node ${nodeCount}`,
    onError: (error) => {
      throw error;
    },
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  opened.push(limiter);
  return limiter;
}

const KINDS: readonly Kind[] = [
  {
    name: 'one process',
    skip: false,
    start: async (options) => {
      const limiter = new LocalHostRateLimiter(options);
      return [limiter, limiter];
    },
  },
  {
    name: 'two nodes on PostgreSQL',
    skip: nodes.skip,
    start: async (options) => {
      const [one, other] = await nodes.start();
      return [shared(one.hosts, options), shared(other.hosts, options)];
    },
  },
];
after(async () => {
  for (const limiter of opened) await limiter.close();
  await nodes.stop();
});

const live = new AbortController().signal;

function acquire(limiter: HostRateLimiter, host: string, more: { budgetMs?: number; signal?: AbortSignal } = {}) {
  return limiter.acquire(host, { key: 'a', group: 'a', budgetMs: PLENTY_MS, signal: live, ...more });
}

/** Returns a promise and whether it is fulfilled. */
function watch(entered: Promise<HostPermit>): { readonly permit: Promise<HostPermit>; readonly isIn: () => boolean } {
  let isIn = false;
  const permit = entered.then((value) => {
    isIn = true;
    return value;
  });
  return { permit, isIn: () => isIn };
}

for (const kind of KINDS) {
  describe(`host rate limits of ${kind.name}`, { skip: kind.skip }, () => {
    // Starts the server outside the tests' timeouts.
    before(async () => {
      await kind.start({ concurrency: 1, spacingMs: 0, maxWaiting: 1 });
    });

    // Checks: threat-weapon
    test('a host limits concurrent captures across nodes', { timeout: PLENTY_MS }, async () => {
      const [one, other] = await kind.start({ concurrency: 3, spacingMs: 0, maxWaiting: 100 });
      let running = 0;
      let most = 0;
      // The first three wait for each other, so that all three run at once.
      const allIn = Promise.withResolvers<void>();
      const done = await Promise.all(
        Array.from({ length: 24 }, async (_, index) => {
          const permit = await acquire(index % 2 === 0 ? one : other, 'busy.test');
          running += 1;
          most = Math.max(most, running);
          if (running === 3) allIn.resolve();
          await allIn.promise;
          await sleep(5);
          running -= 1;
          permit.release();
        }),
      );
      assert.equal(done.length, 24);
      assert.equal(most, 3);
    });

    // Checks: threat-weapon
    test('a full host does not delay other hosts', async () => {
      const [one, other] = await kind.start({ concurrency: 3, spacingMs: 0, maxWaiting: 100 });
      const held = await Promise.all([1, 2, 3].map(() => acquire(one, 'held.test')));
      (await acquire(other, 'free.test')).release();
      const fourth = watch(acquire(other, 'held.test'));
      await acquire(one, 'third.test').then((permit) => permit.release());
      assert.equal(fourth.isIn(), false);
      held[0]?.release();
      (await fourth.permit).release();
      for (const permit of held) permit.release();
    });

    // Checks: threat-weapon
    test('captures of a host start at least the configured spacing apart', async () => {
      const spacingMs = 300;
      const [one, other] = await kind.start({ concurrency: 8, spacingMs, maxWaiting: 100 });
      const started: number[] = [];
      await Promise.all(
        Array.from({ length: 5 }, async (_, index) => {
          const permit = await acquire(index % 2 === 0 ? one : other, 'spaced.test');
          started.push(performance.now());
          permit.release();
        }),
      );
      const [first = 0, last = 0] = [started.at(0), started.at(-1)];
      // The first start may be late on a busy machine; with a clock for each node, starts would take half the time.
      assert.ok(last - first >= 2.3 * spacingMs, `${started.length} starts took ${last - first} ms`);
    });

    test('a start beyond the wait budget is rejected with a retry time', async () => {
      const [one, other] = await kind.start({ concurrency: 8, spacingMs: 60_000, maxWaiting: 100 });
      (await acquire(one, 'late.test')).release();
      await assert.rejects(
        acquire(other, 'late.test', { budgetMs: 3000 }),
        (error) =>
          error instanceof AppError &&
          error.code === 'overloaded' &&
          (error.retryAfterSeconds ?? 0) > 30 &&
          (error.retryAfterSeconds ?? 61) <= 60,
      );
    });

    // Checks: threat-weapon
    test('cancelled requests free their start times for others', { timeout: PLENTY_MS }, async () => {
      const [one, other] = await kind.start({ concurrency: 50, spacingMs: 1000, maxWaiting: 100 });
      (await acquire(one, 'hung-up.test')).release();
      const caller = new AbortController();
      const waiting = Array.from({ length: 40 }, (_, index) =>
        acquire(index % 2 === 0 ? one : other, 'hung-up.test', { signal: caller.signal }),
      );
      const settled = Promise.allSettled(waiting);
      await sleep(700);
      caller.abort(new Error('hung up'));
      for (const result of await settled) if (result.status === 'fulfilled') result.value.release();
      // Each node reserved one start ahead; forty would take forty seconds.
      for (const limiter of [other, one]) (await acquire(limiter, 'hung-up.test', { budgetMs: 8000 })).release();
    });

    test('starts keep the order of requests, and requests too far back in the queue are rejected', async () => {
      const spacingMs = 400;
      const [one] = await kind.start({ concurrency: 8, spacingMs, maxWaiting: 100 });
      (await acquire(one, 'line.test')).release();
      const order: number[] = [];
      const waiting = [0, 1, 2, 3].map(async (index) => {
        const permit = await acquire(one, 'line.test');
        order.push(index);
        permit.release();
      });
      await assert.rejects(acquire(one, 'line.test', { budgetMs: spacingMs }), { code: 'overloaded' });
      await Promise.all(waiting);
      assert.deepEqual(order, [0, 1, 2, 3]);
    });

    test('timed-out requests are rejected, cancelled requests leave, and neither keeps a slot', async () => {
      const [one, other] = await kind.start({ concurrency: 1, spacingMs: 0, maxWaiting: 100 });
      const permit = await acquire(one, 'kept.test');
      await assert.rejects(acquire(other, 'kept.test', { budgetMs: 120 }), /busy|too long/);
      const caller = new AbortController();
      const waiting = acquire(other, 'kept.test', { signal: caller.signal });
      caller.abort(new Error('hung up'));
      await assert.rejects(waiting, /hung up/);
      permit.release();
      permit.release();
      (await acquire(one, 'kept.test')).release();
      (await acquire(other, 'kept.test')).release();
      assert.equal(one.state().waiting + other.state().waiting, 0);
    });

    test('one node with many captures of a host does not starve another node', async () => {
      const [one, other] = await kind.start({ concurrency: 1, spacingMs: 0, maxWaiting: 100 });
      const order: string[] = [];
      const capture = async (name: string, limiter: HostRateLimiter): Promise<void> => {
        const permit = await limiter.acquire('noisy.test', {
          key: name,
          group: name,
          budgetMs: PLENTY_MS,
          signal: live,
        });
        order.push(name);
        await sleep(150);
        permit.release();
      };
      const noisy = Array.from({ length: 8 }, () => capture('noisy', one));
      while (order.length === 0) await sleep(5);
      await capture('modest', other);
      assert.ok(order.indexOf('modest') <= 4, order.join(' '));
      await Promise.all(noisy);
    });
  });
}

describe('host rate limits when a node dies', { skip: nodes.skip }, () => {
  const options = { concurrency: 1, spacingMs: 0, maxWaiting: 100 };

  test('the slots of a dead node are free once its leases expire', async () => {
    const [one, other] = await nodes.start();
    // A dead node stops renewing and releasing.
    const dead: HostLeases = {
      claim: (claim) => one.hosts.claim(claim),
      reserveStart: (...request) => one.hosts.reserveStart(...request),
      leave: (...request) => one.hosts.leave(...request),
      renew: async () => undefined,
      release: async () => undefined,
    };
    const leaseMs = 400;
    const claimed = performance.now();
    await acquire(shared(dead, options, leaseMs), 'dead.test');
    const waiting = watch(acquire(shared(other.hosts, options), 'dead.test'));
    await sleep(150);
    assert.ok(!waiting.isIn() || performance.now() - claimed >= leaseMs);
    (await waiting.permit).release();
  });

  test('a live node keeps its slots for as long as a capture takes', async () => {
    const [one, other] = await nodes.start();
    const permit = await acquire(shared(one.hosts, options, 1500), 'slow.test');
    await assert.rejects(acquire(shared(other.hosts, options), 'slow.test', { budgetMs: 3500 }), /too long|busy/);
    permit.release();
  });
});
