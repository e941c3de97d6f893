import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runOnBehalf } from '../domain/admission/current-tenant.ts';
import { AppError } from '../domain/shared/errors.ts';
import { ownHelpers, readProc, until } from '../engines/testing/own-browsers.ts';
import { TaskProcesses } from './task-processes.ts';
import { WorkerPool } from './worker-pool.ts';

/** Below V8's large-object limit, so that it is in the regular heap. */
const ANSWER_BYTES = 100_000;

const HOSTILE = new URL('./testing/hostile-tasks.ts', import.meta.url);

let pool: WorkerPool;
before(() => {
  pool = new WorkerPool({
    workers: 1,
    memoryBytes: 64 * 1024 * 1024,
    maxQueue: 2,
    module: HOSTILE,
  });
});
after(() => pool.close());

const isTaskProcess = (command: string): boolean => command.includes('task-process');

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
test('a deadline ends an endless task and frees its place', async () => {
  const error = await failure(pool.run('spin', null, 'extract', budget(300)));
  assert.equal(error.code, 'extract_timeout');
  assert.equal(error.stage, 'extract');
  await assertHealed();
  assert.ok(pool.state.workers <= 1);
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

test('an abort before a task begins ends it, too', async () => {
  const tasks = new TaskProcesses(HOSTILE, { memoryBytes: 64 * 1024 * 1024, idleTimeoutMs: 60_000 });
  try {
    await tasks.run('echo', 'loaded', live);
    const controller = new AbortController();
    const running = tasks.run('spin', null, controller.signal);
    controller.abort(new AppError('overloaded', 'the service is shutting down'));
    assert.equal((await failure(running)).code, 'overloaded');
  } finally {
    await tasks.close();
  }
});

// Checks: threat-hang-up
test('a caller who disconnects does not end a process that finishes soon', async () => {
  const processBefore = await pool.run<number>('takeLong', 0, 'extract', budget(20_000));
  const controller = new AbortController();
  const running = pool.run('takeLong', 100, 'extract', budget(60_000, controller.signal));
  await setImmediate();
  controller.abort(new AppError('internal', 'the caller closed the connection'));
  await running.catch(() => undefined);
  assert.equal(await pool.run('takeLong', 0, 'extract', budget(20_000)), processBefore);
});

// Checks: threat-expensive-page
test('a process that runs out of memory is replaced', async () => {
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

// Checks: threat-page-ends-process
test('a task that throws, exits or crashes leaves a working pool', async () => {
  for (const [task, code] of [
    ['fail', 'internal'],
    ['exit', 'unsupported_content'],
    ['crash', 'unsupported_content'],
  ] as const) {
    const error = await failure(pool.run(task, null, 'snapshot', budget(20_000)));
    assert.equal(error.code, code, String(error.cause));
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
test('a tenant uses all processes, also after another tenant, which gets the next free one', async () => {
  const pair = new WorkerPool({
    workers: 2,
    memoryBytes: 64 * 1024 * 1024,
    maxQueue: 10,
    module: HOSTILE,
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

// Checks: threat-page-ends-process
test('a single allocation above the limit ends only the process of its task', async () => {
  for (const task of ['fillOneArray', 'fillOneBuffer']) {
    const error = await failure(pool.run(task, null, 'extract', budget(60_000)));
    assert.equal(error.code, 'extract_timeout', String(error.cause));
    assert.match(error.message, /memory/);
    await assertHealed();
  }
});

test('a task whose process is killed from outside runs once more, and no further time', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-worker-pool-'));
  t.after(() => rm(folder, { recursive: true }));
  assert.equal(await pool.run('dieOnce', path.join(folder, 'died'), 'extract', budget(60_000)), 'survived');
  assert.equal((await failure(pool.run('dieAlways', null, 'extract', budget(60_000)))).code, 'extract_timeout');
  await assertHealed();
});

test('a task whose processes are killed while they start gets another one', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-starts-'));
  const file = path.join(folder, 'go-on');
  // Until the file exists, no process is loaded before it is killed.
  const module = new URL('./testing/waiting-tasks.ts', import.meta.url);
  module.searchParams.set('file', file);
  const fresh = new WorkerPool({ workers: 1, memoryBytes: 64 * 1024 * 1024, maxQueue: 2, module });
  const killed = new Set(ownHelpers(isTaskProcess));
  const killNext = async (): Promise<void> => {
    const listNew = (): number[] => ownHelpers(isTaskProcess).filter((id) => !killed.has(id));
    await until(() => listNew().length === 1, 'the process to start');
    for (const id of listNew()) {
      killed.add(id);
      process.kill(id, 'SIGKILL');
    }
  };
  try {
    for (let count = 0; count < 2; count += 1) {
      const answer = fresh.run('echo', 'next', 'extract', budget(60_000));
      for (let starts = 0; starts < 3; starts += 1) await killNext();
      await writeFile(file, '');
      assert.equal(await answer, 'next');
      await killNext();
      await until(() => fresh.state.workers === 0, 'the process to end');
      await rm(file);
    }
  } finally {
    await fresh.close();
    await rm(folder, { recursive: true });
  }
});

test('a process that loads for longer than its first task may take is kept for the next task', async () => {
  const fresh = new WorkerPool({ workers: 1, memoryBytes: 64 * 1024 * 1024, maxQueue: 2, module: HOSTILE });
  try {
    assert.equal((await failure(fresh.run('echo', 'early', 'extract', budget(1)))).code, 'extract_timeout');
    assert.equal(fresh.state.workers, 1);
    // Any command: that of a process which becomes another program is empty for a moment.
    const loading = ownHelpers(() => true);
    const next = await fresh.run<number>('takeLong', 0, 'extract', budget(60_000));
    assert.ok(loading.includes(next), `${next} is none of ${loading.join(', ')}`);
  } finally {
    await fresh.close();
  }
});

test('no task gets a process that ends because it was idle', async () => {
  const idleTimeoutMs = 5;
  const brief = new WorkerPool({
    workers: 1,
    memoryBytes: 64 * 1024 * 1024,
    maxQueue: 2,
    module: HOSTILE,
    idleTimeoutMs,
  });
  try {
    for (let count = 0; count < 8; count += 1) {
      assert.equal(await brief.run('echo', 'next', 'extract', budget(60_000)), 'next');
      await sleep(idleTimeoutMs);
    }
  } finally {
    await brief.close();
  }
});

test('no task gets a process that was killed while its answer was under way', async () => {
  const tasks = new TaskProcesses(HOSTILE, { memoryBytes: 64 * 1024 * 1024, idleTimeoutMs: 60_000 });
  try {
    let answers = 0;
    for (let attempt = 0; attempt < 50 && answers < 3; attempt++) {
      assert.equal(await tasks.run('echo', 'ready', live), 'ready');
      const abort = new AbortController();
      const answer = tasks.run('echo', 'late', abort.signal).catch(() => undefined);
      await setImmediate();
      // The answer arrives while nobody reads it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      abort.abort(new Error('too late'));
      if ((await answer) === 'late') answers += 1;
      assert.equal(await tasks.run('echo', 'next', live), 'next');
    }
    assert.equal(answers, 3);
  } finally {
    await tasks.close();
  }
});

test('the event loop has priority over the processes', async () => {
  await assertHealed();
  const niceness = (pid: number): number => Number(readProc(pid, 'stat').split(') ').at(-1)?.split(' ')[16]);
  const other = await pool.run<number>('takeLong', 0, 'extract', budget(20_000));
  assert.equal(niceness(other), niceness(process.pid) + 5);
});
