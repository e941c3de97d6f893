import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runOnBehalf } from '../domain/admission/current-tenant.ts';
import { AppError } from '../domain/shared/errors.ts';
import { readProc } from '../engines/testing/own-browsers.ts';
import { WorkerPool } from './worker-pool.ts';

/** Below V8's large-object limit, so that it is in the regular heap. */
const ANSWER_BYTES = 100_000;

let pool: WorkerPool;
before(() => {
  pool = new WorkerPool({
    threads: 1,
    memoryBytes: 64 * 1024 * 1024,
    maxQueue: 2,
    module: new URL('./testing/hostile-tasks.ts', import.meta.url),
  });
});
after(() => pool.close());

const live = new AbortController().signal;
const budget = (timeoutMs: number, signal = live) => ({ timeoutMs, signal });

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}

async function assertHealed(): Promise<void> {
  assert.equal(await pool.run('echo', 'alive', 'extract', budget(20_000)), 'alive');
}

test('a task returns its result', assertHealed);

// Checks: threat-expensive-page
test('a deadline ends an endless task and frees its thread', async () => {
  const error = await failure(pool.run('spin', null, 'extract', budget(300)));
  assert.equal(error.code, 'extract_timeout');
  assert.equal(error.stage, 'extract');
  await assertHealed();
  assert.ok(pool.state.threads <= 1);
});

test("minor garbage collections free a task's memory", async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  const echoMany = async (): Promise<void> => {
    for (let index = 0; index < 50; index += 1) {
      await pool.run('echo', 'x'.repeat(ANSWER_BYTES), 'extract', budget(20_000));
      if (index % 5 === 4) await collect({ type: 'minor', execution: 'async' });
    }
  };
  await echoMany();
  await collect({ type: 'major', execution: 'async' });
  const used = process.memoryUsage().heapUsed;
  await echoMany();
  const kept = process.memoryUsage().heapUsed - used;
  assert.ok(kept < 20 * ANSWER_BYTES, `${kept} bytes remain`);
});

test('time in the queue counts towards the deadline', async () => {
  const running = failure(pool.run('spin', null, 'extract', budget(600)));
  const waiting = await failure(pool.run('echo', 'late', 'extract', budget(100)));
  assert.equal(waiting.code, 'extract_timeout');
  assert.equal((await running).code, 'extract_timeout');
  await assertHealed();
});

test("an abort ends the task with the abort's reason", async () => {
  const controller = new AbortController();
  const running = failure(pool.run('spin', null, 'extract', budget(60_000, controller.signal)));
  controller.abort(new AppError('overloaded', 'the service is shutting down'));
  assert.equal((await running).code, 'overloaded');
  await assertHealed();
});

// Checks: threat-hang-up
test('a caller who disconnects does not end a thread that finishes soon', async () => {
  const threadBefore = await pool.run<number>('takeLong', 0, 'extract', budget(20_000));
  const controller = new AbortController();
  const running = pool.run('takeLong', 100, 'extract', budget(60_000, controller.signal));
  await setImmediate();
  controller.abort(new AppError('internal', 'the caller closed the connection'));
  await running.catch(() => undefined);
  assert.equal(await pool.run('takeLong', 0, 'extract', budget(20_000)), threadBefore);
});

// Checks: threat-expensive-page
test('a thread that runs out of memory is replaced', async () => {
  for (const [stage, code] of [
    ['extract', 'extract_timeout'],
    ['snapshot', 'response_too_large'],
  ] as const) {
    const error = await failure(pool.run('fillMemory', null, stage, budget(60_000)));
    assert.equal(error.code, code);
    assert.equal(error.stage, stage);
    assert.match(error.message, /memory/);
    await assertHealed();
  }
});

test('a task that throws or exits leaves a working pool', async () => {
  for (const task of ['fail', 'exit']) {
    const error = await failure(pool.run(task, null, 'snapshot', budget(20_000)));
    assert.equal(error.code, 'internal');
    assert.equal(error.stage, 'snapshot');
    assert.doesNotMatch(error.message, /inside/);
    await assertHealed();
  }
});

test('tasks beyond the queue limit are rejected with overloaded', async () => {
  const controller = new AbortController();
  const tasks = Array.from({ length: 5 }, () =>
    failure(pool.run('spin', null, 'extract', budget(60_000, controller.signal))),
  );
  const first = await Promise.race(tasks);
  assert.equal(first.code, 'overloaded');
  controller.abort(new AppError('internal', 'enough'));
  const codes = (await Promise.all(tasks)).map(({ code }) => code);
  assert.equal(codes.filter((code) => code === 'overloaded').length, 2);
  await assertHealed();
});

// Checks: threat-slot-hoarding, threat-large-requests
test('a tenant uses all threads, also after another tenant, which gets the next free one', async () => {
  const pair = new WorkerPool({
    threads: 2,
    memoryBytes: 64 * 1024 * 1024,
    maxQueue: 10,
    module: new URL('./testing/hostile-tasks.ts', import.meta.url),
  });
  const spinOf = (key: string, { signal }: AbortController): Promise<AppError> =>
    runOnBehalf({ key, group: 'prj' }, () => failure(pair.run('spin', null, 'extract', budget(60_000, signal))));
  const echoOf = (key: string): Promise<string> =>
    runOnBehalf({ key, group: 'prj' }, () => pair.run('echo', key, 'extract', budget(20_000)));
  try {
    assert.equal(await echoOf('modest'), 'modest');
    const ends = Array.from({ length: 4 }, () => new AbortController());
    const spins = ends.map((end) => spinOf('noisy', end));
    assert.equal(pair.state.queued, 2);
    const echo = echoOf('modest');
    ends[0]?.abort(new AppError('internal', 'enough'));
    assert.equal(await echo, 'modest');
    for (const end of ends) end.abort(new AppError('internal', 'enough'));
    await Promise.all(spins);
  } finally {
    await pair.close();
  }
});

test('the event loop has priority over the threads', async () => {
  await assertHealed();
  // Thread names may contain blanks; the fields after the bracket do not.
  const niceness = (stat: string): number => Number(stat.split(') ').at(-1)?.split(' ')[16]);
  const threads = readdirSync('/proc/self/task').map((thread) => readProc(process.pid, `task/${thread}/stat`));
  // A listed thread may have ended.
  const others = threads.filter((stat) => stat !== '').map(niceness);
  assert.equal(Math.max(...others), niceness(readProc(process.pid, 'stat')) + 5);
});
